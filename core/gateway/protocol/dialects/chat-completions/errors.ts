import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { sentEvent, type WireError } from '../../exchange/stream.ts'
import type { DialectError } from '../dialect.ts'
import { failureOfStatus } from '../read-body.ts'

const Failure = z.object({
  error: z.union([
    z.string(),
    z.object({
      message: z.string().nullish(),
      code: z.union([z.string(), z.number()]).nullish(),
      param: z.string().nullish().catch(null),
    }),
  ]),
})

/** Codes of a 429 or 400 that no waiting mends, and of one that a content filter gave. */
const OUT_OF_CREDIT: ReadonlySet<unknown> = new Set(['insufficient_quota', 'billing_hard_limit_reached'])
const FILTERED: ReadonlySet<unknown> = new Set(['content_filter', 'content_policy_violation'])

/** Types of errors by status, as OpenAI names them. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'insufficient_quota',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
}

/** Reads an error of chat completions, responses, embeddings and moderations. */
export function readError(status: number, body: Json): WireError {
  const parsed = Failure.safeParse(body)
  const error = parsed.success ? parsed.data.error : ''
  const { message, code, param } = typeof error === 'string' ? { message: error, code: undefined, param: null } : error
  const failure = FILTERED.has(code) ? 'refused' : OUT_OF_CREDIT.has(code) ? 'auth' : failureOfStatus(status)
  return {
    failure,
    message: message ?? '',
    code: typeof code === 'string' ? code : undefined,
    param: param ?? undefined,
  }
}

/** Writes an error of these. */
export function writeError({ status, message, code, param }: DialectError): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { error: { message, type, param, code } }
}

/** Writes an error inside a stream of chat completions; no `[DONE]` follows it. */
export function writeStreamError(error: DialectError): string {
  return sentEvent({ data: JSON.stringify(writeError(error)) })
}
