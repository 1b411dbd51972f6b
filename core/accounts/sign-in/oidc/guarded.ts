import type { CustomFetch, FetchBody } from 'openid-client'
import { guardedRequest } from '../../../kernel/egress/guarded-request.ts'
import { resolveWithSystem } from '../../../kernel/egress/resolve-address.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
const TIMEOUT_MS = 10_000
const BODYLESS = new Set([204, 205, 304])

/**
 * Creates the `fetch` of the OpenID library. A provider's document names addresses outside the service's control, so
 * each call goes through the egress guard.
 */
export function createGuardedFetch({ allowsPrivate }: { readonly allowsPrivate: boolean }): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const reply = await guardedRequest(
      { method: method === 'POST' ? 'POST' : 'GET', url, headers, body: textOf(body) },
      { allowsPrivate, maxBytes: MAX_ANSWER_BYTES, timeoutMs: TIMEOUT_MS, signal },
      resolveWithSystem,
    )
    const { status, bytes } = reply
    return new Response(BODYLESS.has(status) ? null : new Uint8Array(bytes), { status, headers: reply.headers })
  }
}

/** In the calls made here the library sends only forms. */
function textOf(body: FetchBody): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new Error('the OpenID library sends a body of another kind')
}
