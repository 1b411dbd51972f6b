import type { IncomingMessage } from 'node:http'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { grantsScope } from '../../../core/kernel/scopes.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import { requireAllNamespaces } from '../../../db/kernel/namespaces/bounds.ts'
import { ACCESS, OPERATOR_TENANT_ID, type Actor, type Operation } from '../../../db/kernel/operation.ts'
import type { TenantRate } from '../../../db/kernel/rate-limits/tenant-rate.ts'
import type { KernelServices } from '../services.ts'
import type { Route } from '../route.ts'
import { refuseKeyInQuery, refuseRepeatedCredentials } from './credentials.ts'
import { refuseForeignOrigin } from './csrf.ts'
import { Identification, type Administrator, type Identified } from './identify.ts'
import { rateLimitHeaders, RateLimitedError } from './rate-limits.ts'
import { createWindowCount } from './window-count.ts'

/** The caller of a route. */
export interface Caller {
  readonly principal?: Principal
  readonly admin?: Administrator
  /** Headers that the answer gets, whatever becomes of the call: where the tenant's rate stands, a cookie again. */
  readonly headers: Readonly<Record<string, string>>
}

/** Lets a matched route's caller through, or throws. */
export interface Guard {
  /**
   * Returns the caller, without a principal for public routes and for optional ones without a credential. Throws
   * `missing_credential`, `invalid_credential`, `anon_expired`, `session_expired`, `insufficient_scope`, `admin_only`,
   * `admin_not_configured`, `csrf_rejected`, `ambiguous_credentials`, `api_key_in_query_unsupported`, and
   * `rate_limited` after too many wrong keys from one address or too many calls of one tenant.
   */
  check(route: Route, request: IncomingMessage, ip: string): Promise<Caller>
}

const UNAUTHENTICATED: Caller = { headers: {} }

/** Opens the guard. Wrong keys are counted per process: that protects this process's processor. */
export function createGuard(services: KernelServices): Guard {
  const identification = new Identification(services, createWindowCount(60_000))
  return {
    async check(route, request, ip) {
      refuseKeyInQuery(request.url ?? '')
      refuseRepeatedCredentials(request)
      if (route.setsCookie) refuseForeignOrigin(request, services.settings)
      if (route.auth === 'public') return UNAUTHENTICATED
      if (route.auth === 'admin') return await identification.administrator(request, ip)
      const found = await identifiedFor(route, identification, request, ip)
      if (!found) return UNAUTHENTICATED
      const { principal, headers } = found
      const rate = await takeCall(services.tenantRate, principal.tenantId)
      if (
        route.scope !== undefined &&
        ![route.scope, ...route.orScopes].some((scope) => grantsScope(principal.scopes, scope))
      ) {
        throw KERNEL_ERRORS.insufficient_scope(`this key lacks the scope ${route.scope}`, {
          details: { required: route.scope },
        })
      }
      if (route.namespace === 'refused' || route.namespace === undefined) requireAllNamespaces(principal)
      return { principal, headers: { ...rate, ...headers } }
    },
  }
}

async function identifiedFor(
  { auth, passesForeignKeys }: Pick<Route, 'auth' | 'passesForeignKeys'>,
  identification: Identification,
  request: IncomingMessage,
  ip: string,
): Promise<Identified | undefined> {
  if (auth === 'scim') return await identification.identityProvider(request, ip)
  const found = await identification.tenant(request, ip, passesForeignKeys)
  if (found || auth === 'optional') return found
  throw KERNEL_ERRORS.missing_credential('send an API key in the X-API-Key header')
}

/** Counts one call of a tenant; returns the headers with the state of its rate. Throws `rate_limited`. */
async function takeCall(rate: TenantRate, tenantId: string): Promise<Readonly<Record<string, string>>> {
  const taken = rate.take(tenantId)
  const standing = taken instanceof Promise ? await taken : taken
  if (standing.limit === 0) return {}
  const headers = rateLimitHeaders(standing.limit, standing.remaining, standing.resetS, standing.windowS)
  if (!standing.isAllowed) throw new RateLimitedError(headers, standing.resetS)
  return headers
}

/** The first argument of a verb for a call of a tenant. */
export function operationOf(services: KernelServices, principal: Principal, requestId: string): Operation {
  return {
    ...ACCESS,
    db: services.db,
    tenantId: principal.tenantId,
    actor: actorOf(principal),
    scopes: principal.scopes,
    requestId,
    now: services.now,
  }
}

/** The same for a call of an administrator: on the operator's own tenant, where its ledger is. */
export function adminOperationOf(services: KernelServices, admin: Administrator, requestId: string): Operation {
  return {
    ...ACCESS,
    db: services.db,
    tenantId: OPERATOR_TENANT_ID,
    actor: { kind: 'admin', name: admin.name },
    scopes: null,
    requestId,
    now: services.now,
  }
}

function actorOf({ kind, keyId, sessionId, memberId }: Principal): Actor {
  if (sessionId !== undefined) return { kind: 'session', sessionId, memberId, keyId }
  if (keyId === null) throw new Error('a caller has neither key nor session')
  return kind === 'scim' ? { kind: 'scim', keyId } : { kind: 'key', keyId }
}
