import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import type { WireError } from '../../exchange/stream.ts'
import type { DialectError } from '../dialect.ts'
import { failureOfStatus } from '../read-body.ts'

const Failure = z.object({
  error: z.object({
    message: z.string().nullish(),
    status: z.string().nullish(),
    details: z.array(z.looseObject({ reason: z.string().optional(), retryDelay: z.string().optional() })).nullish(),
  }),
})

/** Words of errors by status, as Google writes them. */
const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

/** Reads an error of generate-content. */
export function readError(status: number, body: Json): WireError {
  const parsed = Failure.safeParse(body)
  if (!parsed.success) return { failure: failureOfStatus(status), message: '' }
  const { message, status: word, details } = parsed.data.error
  const isKeyWrong = details?.some(({ reason }) => reason === 'API_KEY_INVALID') === true
  const delay = details?.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay
  return {
    failure: isKeyWrong ? 'auth' : failureOfStatus(status),
    message: message ?? '',
    code: word ?? undefined,
    retryAfterS: delay === undefined ? undefined : secondsOf(delay),
  }
}

/** A protobuf duration in JSON: `35s`, `0.5s`. */
function secondsOf(duration: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)s$/.exec(duration)
  return match === null ? undefined : Number(match[1])
}

/** Writes an error of generate-content. */
export function writeError({ status, message, code }: DialectError): JsonObject {
  const word = STATUSES[status] ?? (status >= 500 ? 'INTERNAL' : 'FAILED_PRECONDITION')
  const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'svc' }]
  return { error: { code: status, message, status: word, details } }
}

/** Writes an error inside a stream: as Google does, the plain document in place of an event. */
export function writeStreamError(error: DialectError): string {
  return `${JSON.stringify(writeError(error))}\n`
}
