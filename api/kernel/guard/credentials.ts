import type { IncomingMessage } from 'node:http'
import { DomainError } from '../../../core/errors.ts'

/** The name of the session cookie. */
export const SESSION_COOKIE = 'svc_session'

/** What a request shows of itself before anything is checked. */
export type Credential =
  | { readonly kind: 'key'; readonly apiKey: string }
  | { readonly kind: 'session'; readonly token: string }
  | { readonly kind: 'none' }

/**
 * The credential of a request: `X-API-Key` or `Authorization: Bearer`, and the session cookie only when neither is
 * there, so that a stale cookie never shadows an explicit key. Throws `ambiguous_credentials` when the two headers
 * differ, and `api_key_in_query_unsupported` for a key in the address, where it would reach logs.
 */
export function credentialOf(request: IncomingMessage): Credential {
  refuseKeyInQuery(request.url ?? '')
  const header = request.headers['x-api-key']
  const keyHeader = Array.isArray(header) ? header.join(',') : header
  const bearer = bearerToken(request.headers.authorization)
  if (keyHeader !== undefined && bearer !== undefined && keyHeader !== bearer) {
    throw new DomainError('ambiguous_credentials', 'X-API-Key and Authorization name two different credentials')
  }
  const apiKey = keyHeader ?? bearer
  if (apiKey !== undefined) return { kind: 'key', apiKey: apiKey.trim() }
  const token = cookieValue(request.headers.cookie, SESSION_COOKIE)
  return token === undefined ? { kind: 'none' } : { kind: 'session', token }
}

/** Throws `api_key_in_query_unsupported` when the address carries a key. */
export function refuseKeyInQuery(url: string): void {
  if (!url.includes('api_key') && !url.includes('api%5Fkey') && !url.includes('api%5fkey')) return
  const query = new URLSearchParams(url.split('?', 2)[1] ?? '')
  if (query.has('api_key')) {
    throw new DomainError('api_key_in_query_unsupported', 'send the key in the X-API-Key header, never in the address')
  }
}

/** The token of an `Authorization: Bearer` header; a header of another scheme counts as an empty, wrong key. */
export function bearerToken(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const match = /^Bearer +(\S+) *$/i.exec(header)
  return match?.[1] ?? ''
}

/** The value of one cookie; of two with the same name the first counts (RFC 6265, 5.4). */
export function cookieValue(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at > 0 && pair.slice(0, at).trim() === name)
      return pair
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1')
  }
  return undefined
}
