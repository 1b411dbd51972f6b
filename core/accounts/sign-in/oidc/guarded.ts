import type { CustomFetch, FetchBody } from 'openid-client'
import { guardedRequest } from '../../../kernel/egress/guarded-request.ts'
import { resolveWithSystem } from '../../../kernel/egress/resolve-address.ts'

const MAX_ANSWER_BYTES = 1024 * 1024
const TIMEOUT_MS = 10_000
const BODYLESS = new Set([204, 205, 304])

/**
 * What the OpenID library fetches with: every address that a provider's document names is one that somebody else gave,
 * so each call goes through the guard.
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

/** The library sends forms and nothing else in the calls that are made here. */
function textOf(body: FetchBody): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return body.toString()
  throw new Error('the OpenID library sends a body of another kind')
}
