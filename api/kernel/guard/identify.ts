import type { IncomingMessage } from 'node:http'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { parseKey } from '../../../core/kernel/tenant/key-text.ts'
import type { Principal } from '../../../db/kernel/tenant/principal.ts'
import type { KernelServices, KernelSettings } from '../services.ts'
import { sessionCookie } from '../cookies.ts'
import { adminCredentialOf, credentialOf } from './credentials.ts'
import { checkSameOrigin } from './csrf.ts'
import { rateLimitHeaders, RateLimitedError } from './rate-limits.ts'
import { isSameSecret } from './same-secret.ts'
import type { WindowCount } from './window-count.ts'

/** The owner of a credential. */
export interface Identified {
  readonly principal: Principal
  /** Headers that the answer gets: the cookie of a session whose end was moved. */
  readonly headers: Readonly<Record<string, string>>
}

/** An administrator. */
export interface Administrator {
  /** The name of the credential, which the ledger records. */
  readonly name: string
}

/** An administrator, and the headers that the answer gets. */
export interface IdentifiedAdmin {
  readonly admin: Administrator
  readonly headers: Readonly<Record<string, string>>
}

/** True when the caller is an administrator: an owner of a tenant in `SVC_ADMIN_TENANTS`. */
export function runsService(
  { tenantId, kind, scopes }: Principal,
  { adminTenants }: Pick<KernelSettings, 'adminTenants'>,
): boolean {
  const isOwner = kind === 'primary' || (kind === 'member' && scopes.includes('*'))
  return isOwner && adminTenants.has(tenantId)
}

/** Finds out who calls. Wrong keys are counted per address in `failures`. */
export class Identification {
  readonly #services: KernelServices
  readonly #failures: WindowCount

  constructor(services: KernelServices, failures: WindowCount) {
    this.#services = services
    this.#failures = failures
  }

  /**
   * The tenant's caller; undefined without a credential, and with `passesForeign` for a key that is not of this service.
   * Throws what `Guard.check` names.
   */
  async tenant(request: IncomingMessage, ip: string, passesForeign = false): Promise<Identified | undefined> {
    const credential = credentialOf(request, passesForeign)
    switch (credential.kind) {
      case 'none':
        return undefined
      case 'key': {
        const principal = await this.#ofKey(credential.apiKey, ip)
        // The token of an identity provider opens its own routes and nothing else.
        if (principal.kind === 'scim') throw KERNEL_ERRORS.invalid_credential('the API key is not valid')
        return { principal, headers: {} }
      }
      case 'session':
        return await this.#ofSession(request, credential.token)
    }
  }

  /** The identity provider of a tenant, by its token. Throws what `Guard.check` names. */
  async identityProvider(request: IncomingMessage, ip: string): Promise<Identified> {
    const credential = credentialOf(request)
    if (credential.kind !== 'key')
      throw KERNEL_ERRORS.missing_credential('send the SCIM token in the header Authorization: Bearer')
    const principal = await this.#ofKey(credential.apiKey, ip)
    if (principal.kind !== 'scim') throw KERNEL_ERRORS.invalid_credential('the SCIM token is not valid')
    return { principal, headers: {} }
  }

  /**
   * Returns the administrator: by the admin key, or as owner of a tenant that the operator named. Throws what `Guard.check`
   * names.
   */
  async administrator(request: IncomingMessage, ip: string): Promise<IdentifiedAdmin> {
    const credential = adminCredentialOf(request)
    switch (credential.kind) {
      case 'none':
        throw KERNEL_ERRORS.missing_credential('send the admin key in the X-Admin-Key header')
      case 'session': {
        const { principal, headers } = await this.#ofSession(request, credential.token)
        return { admin: this.#ofAdminTenant(principal), headers }
      }
      case 'key': {
        const { adminKey } = this.#services.settings
        if (adminKey !== undefined && isSameSecret(adminKey, credential.text)) {
          return { admin: { name: 'key' }, headers: {} }
        }
        const isTenantKey = !credential.isAdminOnly && parseKey(credential.text) !== null
        if (isTenantKey) {
          return { admin: this.#ofAdminTenant(await this.#ofKey(credential.text, ip)), headers: {} }
        }
        if (adminKey === undefined) {
          throw KERNEL_ERRORS.admin_not_configured('no admin key is configured on this service')
        }
        return this.#refuse(ip, this.#isSuspect(ip), 'the admin key is not valid')
      }
    }
  }

  #ofAdminTenant(principal: Principal): Administrator {
    const { tenantId, keyId, sessionId } = principal
    if (!runsService(principal, this.#services.settings)) {
      throw KERNEL_ERRORS.admin_only('only operators of the service can call this')
    }
    return { name: sessionId ?? keyId ?? tenantId }
  }

  async #ofKey(apiKey: string, ip: string): Promise<Principal> {
    // A valid key passes even when its address guessed wrong ones; guesses from there do not delay other callers.
    const isSuspect = this.#isSuspect(ip)
    const principal = await this.#services.keys.authenticate(apiKey, { isSuspect })
    return principal === null ? this.#refuse(ip, isSuspect) : this.#noted(principal)
  }

  async #ofSession(request: IncomingMessage, token: string): Promise<Identified> {
    const { settings, sessions, now } = this.#services
    checkSameOrigin(request, settings)
    const session = await sessions.authenticate(token)
    if (!session) throw KERNEL_ERRORS.session_expired('the session has ended; sign in again')
    const principal = this.#noted(session.principal)
    if (!session.isExtended) return { principal, headers: {} }
    const maxAgeS = Math.max(1, Math.floor((session.expiresAt.getTime() - now().getTime()) / 1000))
    return { principal, headers: { 'Set-Cookie': sessionCookie(token, maxAgeS, settings) } }
  }

  /** A session counts as a use of the key that opened it. */
  #noted(principal: Principal): Principal {
    if (principal.keyId !== null) this.#services.keyUses.note(principal.keyId, this.#services.now())
    return principal
  }

  #isSuspect(ip: string): boolean {
    return this.#failures.count(ip) >= this.#services.limits.failed_keys_per_ip_minute
  }

  #refuse(ip: string, isSuspect: boolean, message = 'the API key is not valid'): never {
    this.#failures.add(ip)
    if (!isSuspect) throw KERNEL_ERRORS.invalid_credential(message)
    const resetS = this.#failures.resetS()
    const headers = rateLimitHeaders(this.#services.limits.failed_keys_per_ip_minute, 0, resetS, 60)
    throw new RateLimitedError(headers, resetS, 'wrong keys from this address')
  }
}
