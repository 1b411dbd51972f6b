import type { ErrorCode } from '../../core/ledger/errors.ts'
import type { Limits } from '../../core/ledger/limits.ts'
import type { Scope } from '../../core/ledger/scopes.ts'
import type { JsonObject } from '../../core/kernel/json/json.ts'
import type { ReceiptSecrets } from '../../db/ledger/across/receipt-secrets.ts'
import type { SigningKeys } from '../../db/ledger/across/signing-keys.ts'
import { routesOf, type RouteOf } from '../kernel/route.ts'
import type { KernelPorts, KernelServices } from '../kernel/services.ts'

/** Functions of higher areas that this area needs. */
export interface LedgerPorts extends KernelPorts {
  /** The receipt of the build that made an artifact, by the digest of the artifact; undefined when there is none. */
  readonly findBuildReceipt: (artifactHash: string) => Promise<JsonObject | undefined>
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
