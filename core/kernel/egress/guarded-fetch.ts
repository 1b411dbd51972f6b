import { guardedRequest, type EgressBounds } from './guarded-request.ts'
import { resolveWithSystem } from './resolve-address.ts'

/** Answer from a caller's address. */
export interface FetchedDocument {
  readonly status: number
  /** Lower case, without parameters; empty when the answer names none. */
  readonly mediaType: string
  readonly bytes: Buffer
}

/**
 * Fetches a caller's address if it is on the public internet. Redirects are returned, not followed. Throws
 * `EgressError`.
 */
export async function guardedFetch(url: string, options: EgressBounds): Promise<FetchedDocument> {
  const reply = await guardedRequest({ method: 'GET', url, headers: {} }, options, resolveWithSystem)
  const [mediaType = ''] = (reply.headers['content-type'] ?? '').split(';')
  return { status: reply.status, mediaType: mediaType.trim().toLowerCase(), bytes: reply.bytes }
}
