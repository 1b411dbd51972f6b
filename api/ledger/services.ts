import type { z } from 'zod'
import type { AuditSubject } from '../../core/ledger/actors/actor-refs.ts'
import type { AuditActor } from '../../core/ledger/wire/audit.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { ErrorCode } from '../../core/ledger/errors.ts'
import type { Limits } from '../../core/ledger/limits.ts'
import type { Scope } from '../../core/ledger/scopes.ts'
import type { JsonObject } from '../../core/kernel/json/json.ts'
import type { ReceiptSecrets } from '../../db/ledger/across/receipt-secrets.ts'
import type { SigningKeys } from '../../db/ledger/across/signing-keys.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'
import type { KernelPorts, KernelServices } from '../kernel/services.ts'

/** An audit line with its actor. */
export type Named<T> = T & { readonly by: z.input<typeof AuditActor> }

/** Functions of higher areas that this area needs. */
export interface LedgerPorts extends KernelPorts {
  /** The receipt of the build that made an artifact, by the digest of the artifact; undefined when there is none. */
  readonly findBuildReceipt: (artifactHash: string) => Promise<JsonObject | undefined>
  /** Returns audit lines with their actors, in words and as fields. */
  readonly nameActors: <T extends AuditSubject>(op: Operation, lines: readonly T[]) => Promise<readonly Named<T>[]>
}

/** The services that handlers of the ledger see. */
export interface LedgerServices extends KernelServices {
  readonly ports: LedgerPorts
  readonly limits: Limits
  readonly receiptSecrets: ReceiptSecrets
  readonly signingKeys: SigningKeys
}

/** Declares a route whose handler sees this slice, and codes, limits and scopes of this area and those below. */
export const defineRoute = routesOf<LedgerServices, ErrorCode, Scope>()
/** A route of this area. */
export type Route = RouteOf<LedgerServices>
