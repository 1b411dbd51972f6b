import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../../core/errors.ts'
import { grantsScope } from '../../../core/tenancy/scopes.ts'
import type { Principal } from '../../../db/keys/principal.ts'
import type { Operation } from '../../../db/operation.ts'
import type { ApiServices } from '../../services.ts'
import type { AuthKind, Route } from '../route.ts'
import { credentialOf, refuseKeyInQuery } from './credentials.ts'
import { checkSameOrigin, refuseForeignOrigin } from './csrf.ts'

/** Lets a matched route's caller through, or throws. */
export interface Guard {
  /**
   * The principal of a call; undefined for public routes and for optional ones without a credential. Throws
   * `missing_credential`, `invalid_credential`, `session_expired`, `insufficient_scope`, `csrf_rejected`,
   * `ambiguous_credentials`, `api_key_in_query_unsupported`, and `rate_limited` after too many wrong keys from one
   * address or too many calls of one tenant.
   */
  check(route: Route, request: IncomingMessage, ip: string): Promise<Principal | undefined>
}

/** Opens the guard. Its counts are per process: they protect this process's processor, not a quota. */
export function createGuard(services: ApiServices): Guard {
  const failures = createWindowCount(60_000)
  const calls = createWindowCount(1000)
  const maxCalls = services.limits.requests_per_tenant_second
  return {
    async check(route, request, ip) {
      if (route.setsCookie) refuseForeignOrigin(request, services.settings.publicUrl)
      if (route.auth === 'public') {
        refuseKeyInQuery(request.url ?? '')
        return undefined
      }
      const principal = await identify(services, route.auth, request, ip, failures)
      if (!principal) return undefined
      if (route.scope !== undefined && !grantsScope(principal.scopes, route.scope)) {
        throw new DomainError('insufficient_scope', `this key lacks the scope ${route.scope}`, {
          details: { required: route.scope },
        })
      }
      if (calls.add(principal.tenantId) > maxCalls) {
        throw new DomainError('rate_limited', `more than ${maxCalls} calls in one second`, { retryAfterS: 1 })
      }
      return principal
    },
  }
}

async function identify(
  services: ApiServices,
  auth: Exclude<AuthKind, 'public'>,
  request: IncomingMessage,
  ip: string,
  failures: WindowCount,
): Promise<Principal | undefined> {
  const credential = credentialOf(request)
  switch (credential.kind) {
    case 'none':
      if (auth === 'optional') return undefined
      throw new DomainError('missing_credential', 'send an API key in the X-API-Key header')
    case 'key': {
      // A right key passes whatever else came from its address; guessing is cut off before it costs a hash each.
      const isSuspect = failures.count(ip) >= services.limits.failed_keys_per_ip_minute
      const principal = await services.keys.authenticate(credential.apiKey, { isSuspect })
      if (principal) return principal
      failures.add(ip)
      if (!isSuspect) throw new DomainError('invalid_credential', 'the API key is not valid')
      throw new DomainError('rate_limited', 'too many wrong keys from this address', { retryAfterS: failures.resetS() })
    }
    case 'session': {
      checkSameOrigin(request, services.settings.publicUrl)
      const session = await services.sessions.authenticate(credential.token)
      if (!session) throw new DomainError('session_expired', 'the session has ended; sign in again')
      return session.principal
    }
  }
}

/** Counts by name that all start over when the window ends; at most one window is kept. */
interface WindowCount {
  add(name: string): number
  count(name: string): number
  resetS(): number
}

function createWindowCount(windowMs: number): WindowCount {
  let window = 0
  let counts = new Map<string, number>()
  const current = () => {
    const now = Math.floor(performance.now() / windowMs)
    if (now !== window) {
      window = now
      counts = new Map()
    }
    return counts
  }
  return {
    add(name) {
      const count = (current().get(name) ?? 0) + 1
      counts.set(name, count)
      return count
    },
    count: (name) => current().get(name) ?? 0,
    resetS: () => Math.max(1, Math.ceil(((window + 1) * windowMs - performance.now()) / 1000)),
  }
}

/** The first argument of a verb for an authenticated call. */
export function operationOf(services: ApiServices, principal: Principal, requestId: string): Operation {
  return {
    db: services.db,
    tenantId: principal.tenantId,
    actor:
      principal.sessionId === undefined
        ? { kind: 'key', keyId: principal.keyId }
        : { kind: 'session', sessionId: principal.sessionId, keyId: principal.keyId },
    requestId,
    now: services.now,
  }
}
