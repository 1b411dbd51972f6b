import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { sentEvent, type WireError } from '../../exchange/stream.ts'
import type { ProviderFailure } from '../../../providers/provider-error.ts'
import type { DialectError } from '../dialect.ts'
import { failureOfStatus } from '../read-body.ts'

const Failure = z.object({ error: z.object({ type: z.string().nullish(), message: z.string().nullish() }) })

/** Types of errors by status, as Anthropic names them. */
const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

/** Failures by the type of an error that comes inside a stream, where there is no status. */
const FAILURES: Readonly<Record<string, ProviderFailure>> = {
  overloaded_error: 'overloaded',
  rate_limit_error: 'rate_limited',
  timeout_error: 'timeout',
  authentication_error: 'auth',
  invalid_request_error: 'invalid_request',
}

/** Reads an error of messages. */
export function readError(status: number, body: Json): WireError {
  const parsed = Failure.safeParse(body)
  const { type, message } = parsed.success ? parsed.data.error : {}
  const inStream = status === 502 && type ? FAILURES[type] : undefined
  return { failure: inStream ?? failureOfStatus(status), message: message ?? '', code: type ?? undefined }
}

/** Writes an error of messages. */
export function writeError({ status, message }: DialectError): JsonObject {
  const type = TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { type: 'error', error: { type, message } }
}

/** Writes an error inside a stream of messages. */
export function writeStreamError(error: DialectError): string {
  return sentEvent({ event: 'error', data: JSON.stringify(writeError(error)) })
}
