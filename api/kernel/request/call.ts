import type { IncomingMessage } from 'node:http'
import type { Limits } from '../../../core/limits.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { WhenKept } from '../guard/idempotency.ts'
import type { Administrator } from '../guard/identify.ts'
import type { KernelServices } from '../services.ts'

/**
 * The callers of a route: `public` all, `optional` all and a tenant where it shows a credential, `key` a tenant, `admin`
 * administrators, `scim` a tenant's identity provider.
 * There is no default: a route without one does not type-check.
 */
export type AuthKind = 'public' | 'optional' | 'key' | 'admin' | 'scim'

/** The services of a process, which hold the limits of all areas. */
export type Bound<S> = S & { readonly limits: Limits }

/** The facts of a call before its input is parsed, with the services of its area. */
export interface CallFactsOf<S extends KernelServices> {
  readonly services: S
  readonly requestId: string
  readonly ip: string
  /** The key by which callers take turns: the tenant, or the address for public routes and anonymous workspaces. */
  readonly caller: string
  /** A signal that is aborted when the answer is complete, the caller disconnects, or the process drains. */
  readonly endOfCall: () => AbortSignal
  /** The same, but a process that drains lets the call finish. */
  readonly hangUp: () => AbortSignal
  readonly request: IncomingMessage
  readonly principal: Principal | undefined
  readonly admin: Administrator | undefined
  /** The first argument of a verb, for authenticated calls; of an administrator on the operator's tenant. */
  readonly op: Operation | undefined
  /** For effects outside of the database, such as charges kept in memory: they follow the answer, see `WhenKept`. */
  readonly whenKept: WhenKept
}

interface Identity {
  readonly public: { readonly principal: undefined; readonly op: undefined }
  readonly optional: { readonly principal: Principal | undefined; readonly op: Operation | undefined }
  readonly key: { readonly principal: Principal; readonly op: Operation }
  readonly admin: { readonly principal: undefined; readonly op: Operation; readonly admin: Administrator }
  readonly scim: { readonly principal: Principal; readonly op: Operation }
}

/** The input of a handler: the facts of the call, and the input as the schemas of the route parsed it. */
export type CallOf<A extends AuthKind, P, Q, B, S extends KernelServices> = Omit<
  CallFactsOf<S>,
  'principal' | 'op' | 'admin'
> &
  Identity[A] & { readonly params: P; readonly query: Q; readonly body: B }

/** Input before validation. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}
