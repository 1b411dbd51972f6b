import { KERNEL_ERRORS } from '../../core/kernel/errors.ts'
import { grantsScope, namespacesOf } from '../../core/kernel/scopes.ts'
import type { Scope } from '../../core/scopes.ts'
import { rootOf, type Database } from './database.ts'
import { inTransaction } from './queries/in-transaction.ts'
import { readRows } from './queries/read-rows.ts'
import type { Reading, RowsOf } from './queries/read.ts'
import type { Reads } from './queries/typed.ts'
import type { Transaction } from './transaction.ts'
import type { Reach } from './tenant/tenant-role.ts'

/** The tenant whose ledger holds the operator's actions; made by a migration, without an account. */
export const OPERATOR_TENANT_ID = 'ten_00000000000000000000000000'

/** The actor. */
export type Actor =
  | { readonly kind: 'key'; readonly keyId: string }
  /** `keyId`: the key that opened the session; absent for one that a proof of identity opened. */
  | {
      readonly kind: 'session'
      readonly sessionId: string
      readonly memberId: string | null
      readonly keyId?: string | null
    }
  /** An operator of the service. `name` is the proof of identity. */
  | { readonly kind: 'admin'; readonly name: string }
  /** The identity provider of a tenant. */
  | { readonly kind: 'scim'; readonly keyId: string }
  /** The payment processor, by one of its events. */
  | { readonly kind: 'processor'; readonly eventId: string }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'system'; readonly name: string }

/** The database and the tenant of a verb. */
export interface Place {
  readonly db: Database
  readonly tenantId: string
  /** The caller's permissions; a key bound to namespaces reaches only their rows. */
  readonly scopes?: readonly string[] | null
  /** The namespaces of such a key, where its scopes are not at hand. */
  readonly bounds?: readonly string[] | null
}

/** Returns the rows that a place's statements reach. */
function reachOf({ tenantId, scopes, bounds }: Place): Reach {
  return { tenantId, bounds: bounds ?? namespacesOf(scopes ?? []) }
}

/**
 * Read and write methods of a verb. Both belong to the operation that they are called on, so that `{ ...op, tenantId }`
 * reads and writes for the other tenant.
 */
export interface Access {
  /**
   * Reads the rows of the tenant: `const [job] = await op.read((q) => q.selectFrom('compile_jobs')…)`, or several
   * queries as a list, answered by a list. One round trip. Throws `store_unavailable`.
   */
  read<const R extends Reading>(this: Place, build: (q: Reads) => R): Promise<RowsOf<R>>
  /**
   * Runs `work` in one transaction that reaches the rows of the tenant only, and commits it; see `inTransaction`. A
   * conflict repeats the whole work.
   */
  write<T>(this: Place, work: (tx: Transaction) => Promise<T>): Promise<T>
}

/** The methods of every operation. */
export const ACCESS: Access = {
  async read(build) {
    return await readRows(this.db, reachOf(this), build)
  },
  async write(work) {
    return await inTransaction(this.db, reachOf(this), work)
  },
}

/** A reader and writer for one tenant: an operation, or `tenantOf`. */
export type TenantAccess = Place & Access

/** Reads and writes for a tenant, within namespaces or in all, where no operation is at hand: caches, chores. */
export function tenantOf(db: Database, tenantId: string, bounds: readonly string[] | null = null): TenantAccess {
  return { ...ACCESS, db, tenantId, bounds }
}

/** A verb's first argument: the database, the tenant, the actor, the request, the time. */
export interface Operation extends Place, Access {
  readonly actor: Actor
  /** The caller's permissions; null for the service itself and its operators, who have all of them. */
  readonly scopes: readonly string[] | null
  readonly requestId: string
  /**
   * Names the call to external services that deduplicate: the same when the call is repeated under its Idempotency-Key.
   */
  readonly claimName?: string
  now(): Date
}

/**
 * Returns the operation with a database that commits at once, for writes that must precede the rest of a claimed call.
 */
export function apart(op: Operation): Operation {
  return { ...op, db: rootOf(op.db) }
}

/**
 * The second lock of a verb that grants rights or removes data forever: workflows and schedules reach verbs without
 * passing a route's guard. Throws `insufficient_scope`.
 */
export function requireScope(op: Pick<Operation, 'scopes'>, scope: Scope): void {
  if (op.scopes === null || grantsScope(op.scopes, scope)) return
  throw KERNEL_ERRORS.insufficient_scope(`this needs the scope ${scope}`, { details: { required: scope } })
}

/** Makes an operation of the service itself: an activity, a schedule. */
export function systemOperation(
  db: Database,
  by: { readonly tenantId: string; readonly name: string; readonly requestId: string; readonly now?: () => Date },
): Operation {
  return {
    ...ACCESS,
    db,
    tenantId: by.tenantId,
    actor: { kind: 'system', name: by.name },
    scopes: null,
    requestId: by.requestId,
    now: by.now ?? (() => new Date()),
  }
}

/** Returns the actor in one line, as in the audit ledger. */
export function describeActor(actor: Actor): string {
  switch (actor.kind) {
    case 'key':
      return `key:${actor.keyId}`
    case 'session':
      return [
        `session:${actor.sessionId}`,
        ...(actor.memberId === null ? [] : [`of ${actor.memberId}`]),
        ...(actor.keyId ? [`with ${actor.keyId}`] : []),
      ].join(' ')
    case 'admin':
      return `admin:${actor.name}`
    case 'scim':
      return `scim:${actor.keyId}`
    case 'processor':
      return `processor:${actor.eventId}`
    case 'system':
      return `system:${actor.name}`
    case 'anonymous':
      return 'anonymous'
  }
}
