import { guardedRequest, type EgressBounds } from './guarded-request.ts'
import { resolveWithSystem } from './resolve-address.ts'

/** What an address that a caller gave answered. */
export interface FetchedDocument {
  readonly status: number
  /** Lower case, without parameters; empty when the answer names none. */
  readonly mediaType: string
  readonly bytes: Buffer
}

/**
 * Fetches an address that a caller gave, and nothing that is not on the public internet. Redirects are answered, not
 * followed. Throws `EgressError`.
 */
export async function guardedFetch(url: string, options: EgressBounds): Promise<FetchedDocument> {
  const reply = await guardedRequest({ method: 'GET', url, headers: {} }, options, resolveWithSystem)
  const [mediaType = ''] = (reply.headers['content-type'] ?? '').split(';')
  return { status: reply.status, mediaType: mediaType.trim().toLowerCase(), bytes: reply.bytes }
}
