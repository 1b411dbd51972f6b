import type { z } from 'zod'
import type { Json } from '../../../kernel/json/json.ts'
import type { ModelRequest } from '../exchange/request.ts'
import { ProviderError, type ProviderFailure } from '../../providers/provider-error.ts'

/** The body as the schema reads it. Throws `ProviderError` `invalid_response` that names the fields, not their values. */
export function readReply<T>(schema: z.ZodType<T>, body: Json): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const fields = parsed.error.issues.map(({ path }) => path.join('.')).slice(0, 5)
  throw new ProviderError('invalid_response', `the provider's answer cannot be read: ${fields.join(', ')}`)
}

/** The JSON of an event. Throws `ProviderError` `invalid_response`. */
export function readEvent(data: string): Json {
  try {
    const value: Json = JSON.parse(data)
    return value
  } catch {
    throw new ProviderError('invalid_response', "an event of the provider's stream is no JSON")
  }
}

/** Returns the kind of failure of an HTTP status, used when the body is not more exact. */
export function failureOfStatus(status: number): ProviderFailure {
  if (status === 401 || status === 402 || status === 403) return 'auth'
  if (status === 408 || status === 504) return 'timeout'
  if (status === 429) return 'rate_limited'
  if (status === 409 || status >= 500) return 'overloaded'
  return 'invalid_request'
}

/**
 * Throws `ProviderError` `interrupted` for an answer that its provider gave up. No other dialect has a word for that, so a
 * translated answer would look whole; in the caller's own dialect, without a request, the word is passed on.
 */
export function refuseBroken(
  reason: string | null | undefined,
  broken: ReadonlySet<string>,
  request: ModelRequest | null,
): void {
  if (request === null || !reason || !broken.has(reason)) return
  throw new ProviderError('interrupted', 'the provider gave the answer up', { word: reason })
}
