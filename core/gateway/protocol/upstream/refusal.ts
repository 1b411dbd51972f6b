import type { Json } from '../../../kernel/json/json.ts'
import type { WireError } from '../exchange/stream.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { readRetryAfter } from './retry-after.ts'
import type { UpstreamReply } from './upstream.ts'

/** Maximum length of a provider's error message, characters. */
const MAX_MESSAGE_CHARS = 500
/** The same of the name of a field. */
const MAX_PARAM_CHARS = 100

/** Reads how a provider words an error. */
export type ReadError = (status: number, body: Json) => WireError

/** The error of an answer that is not 2xx, read to its end. It never holds the key. */
export async function readRefusal(reply: UpstreamReply, readError: ReadError, apiKey: string): Promise<ProviderError> {
  const { status, headers } = reply
  if (status < 400) {
    reply.cancel()
    return new ProviderError('invalid_response', `the provider answered ${status}`, { status })
  }
  const { failure, message, code, param, retryAfterS } = readError(status, parseJson(await reply.text()))
  const said = withoutKey(message, apiKey)
  return new ProviderError(failure, `the provider answered ${status}${said === '' ? '' : `: ${said}`}`, {
    status,
    retryAfterS: readRetryAfter({ get: (name) => headers[name] ?? null }, Date.now()) ?? retryAfterS,
    requestId: headers['x-request-id'] ?? headers['request-id'],
    word: code,
    param: param === undefined ? undefined : withoutKey(param, apiKey).slice(0, MAX_PARAM_CHARS),
  })
}

/** A provider's own words without the key that it was asked with, cut to a readable length. */
export function withoutKey(message: string, apiKey: string): string {
  const hidden = apiKey === '' ? message : message.replaceAll(apiKey, '[key]')
  return hidden.slice(0, MAX_MESSAGE_CHARS)
}

/** Returns null for text that is not JSON, such as a proxy's error page; a dialect then finds no answer. */
export function parseJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text)
    return value
  } catch {
    return null
  }
}
