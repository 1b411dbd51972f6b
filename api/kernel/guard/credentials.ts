import type { IncomingMessage } from 'node:http'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { SESSION_COOKIE } from '../cookies.ts'

/** The credential of a request, before it is checked. */
export type Credential =
  | { readonly kind: 'key'; readonly apiKey: string }
  | { readonly kind: 'session'; readonly token: string }
  | { readonly kind: 'none' }

/** The same for an admin route: `isAdminOnly` when it came in a header that takes no tenant's key. */
export type AdminCredential =
  | { readonly kind: 'key'; readonly text: string; readonly isAdminOnly: boolean }
  | { readonly kind: 'session'; readonly token: string }
  | { readonly kind: 'none' }

const CREDENTIAL_HEADERS = new Set(['authorization', 'x-api-key', 'x-goog-api-key', 'x-admin-key'])

/** The beginning of keys of this service: a mistyped one is never sent to a provider. */
const OWN_KEY = /^\s*(?:ks|kao|scim)_/

/**
 * Returns the caller's key at a provider on a route that takes foreign keys: of `X-API-Key`, `X-Goog-Api-Key` and
 * `Authorization: Bearer` the first that is no key of this service; undefined without one.
 */
export function foreignKeyOf(request: IncomingMessage): string | undefined {
  return keysOf(request)
    .find((key) => !OWN_KEY.test(key) && key.trim() !== '')
    ?.trim()
}

/**
 * The credential of a request: `X-API-Key`, `Authorization: Bearer` or, as Google's SDK sends it, `X-Goog-Api-Key`; the
 * session cookie only when none of them is there, so that a stale cookie never shadows an explicit key. With
 * `passesForeign` only keys of this service count. Throws `ambiguous_credentials` when two headers differ or there are two
 * session cookies.
 */
export function credentialOf(request: IncomingMessage, passesForeign = false): Credential {
  const [apiKey, ...others] = keysOf(request).filter((key) => !passesForeign || OWN_KEY.test(key))
  if (others.some((other) => other !== apiKey)) {
    throw KERNEL_ERRORS.ambiguous_credentials('X-API-Key and Authorization name two different credentials')
  }
  if (apiKey !== undefined) return { kind: 'key', apiKey: apiKey.trim() }
  const token = sessionToken(request)
  return token === undefined ? { kind: 'none' } : { kind: 'session', token }
}

function keysOf(request: IncomingMessage): readonly string[] {
  return [
    headerText(request, 'x-api-key'),
    headerText(request, 'x-goog-api-key'),
    bearerToken(request.headers.authorization),
  ].filter((key) => key !== undefined)
}

/** The credential of a call to an admin route, which also takes `X-Admin-Key`. Throws `ambiguous_credentials`. */
export function adminCredentialOf(request: IncomingMessage): AdminCredential {
  const adminHeader = headerText(request, 'x-admin-key')?.trim()
  const other = credentialOf(request)
  if (adminHeader === undefined) {
    return other.kind === 'key' ? { kind: 'key', text: other.apiKey, isAdminOnly: false } : other
  }
  if (other.kind === 'key' && other.apiKey !== adminHeader) {
    throw KERNEL_ERRORS.ambiguous_credentials('X-Admin-Key and another header name two different credentials')
  }
  return { kind: 'key', text: adminHeader, isAdminOnly: true }
}

/**
 * Refuses a request that carries a credential header twice: of two `Authorization` headers Node keeps the first, while
 * a proxy may have looked at the second. Throws `ambiguous_credentials`.
 */
export function refuseRepeatedCredentials(request: IncomingMessage): void {
  const seen = new Set<string>()
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index]?.toLowerCase() ?? ''
    if (!CREDENTIAL_HEADERS.has(name)) continue
    if (seen.has(name)) throw KERNEL_ERRORS.ambiguous_credentials(`the header ${name} is sent twice`)
    seen.add(name)
  }
}

/** Throws `api_key_in_query_unsupported` when the address carries a key, where it would reach logs. */
export function refuseKeyInQuery(url: string): void {
  if (!url.includes('api_key') && !url.includes('api%5Fkey') && !url.includes('api%5fkey')) return
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '')
  if (query.has('api_key')) {
    throw KERNEL_ERRORS.api_key_in_query_unsupported('send the key in the X-API-Key header, never in the address')
  }
}

/** The token of an `Authorization: Bearer` header; a header of another scheme counts as an empty, wrong key. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const match = /^Bearer +(\S+) *$/i.exec(header)
  return match?.[1] ?? ''
}

/** The value of the session cookie. Throws `ambiguous_credentials` for two different ones. */
export function sessionToken(request: IncomingMessage): string | undefined {
  const [first, ...others] = cookieValues(request.headers.cookie, SESSION_COOKIE)
  if (others.some((other) => other !== first)) {
    throw KERNEL_ERRORS.ambiguous_credentials('there are two different session cookies')
  }
  return first
}

/** The value of one cookie; of two with the same name the first counts (RFC 6265, 5.4). */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  return cookieValues(header, name)[0]
}

function cookieValues(header: string | undefined, name: string): readonly string[] {
  if (header === undefined) return []
  return header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=')
    if (at <= 0 || pair.slice(0, at).trim() !== name) return []
    return [
      pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1'),
    ]
  })
}

function headerText(request: IncomingMessage, name: string): string | undefined {
  const header = request.headers[name]
  return Array.isArray(header) ? header.join(',') : header
}
