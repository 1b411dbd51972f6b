import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { DialectName, ProviderReply, ProviderRequest } from '../provider.ts'
import type { ProviderFailure } from '../provider-error.ts'

/**
 * Optional parts of a request. Models and compatible servers accept different fields; a call starts with all of them,
 * and a refused field is left out from then on (`relaxShape`).
 */
export interface WireShape {
  /** Name of the field that bounds the output, in the dialect that has two. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  readonly sendsTemperature: boolean
  /** Form of a structured answer's request: its schema, any JSON, or the prompt alone. */
  readonly structure: 'schema' | 'json' | 'words'
}

/** A request on the wire. */
export interface WireRequest {
  /** Below the base address, with a leading slash. */
  readonly path: string
  readonly body: JsonObject
}

/** Content of an error answer. */
export interface WireError {
  readonly failure: ProviderFailure
  readonly message: string
  readonly retryAfterS?: number | undefined
}

/** One wire format: pure functions between requests and replies and their JSON. */
export interface Dialect {
  readonly name: DialectName
  readonly defaultBaseUrl: string
  readonly maxSamplesPerCall: number
  headers(apiKey: string): Readonly<Record<string, string>>
  encode(request: ProviderRequest, model: string, shape: WireShape): WireRequest
  /** Throws `ProviderError` `invalid_response` for a body that is no answer. */
  decode(body: Json): Omit<ProviderReply, 'latencyMs'>
  /** Reads the body of an answer that is not 2xx; `body` is null when it is no JSON. */
  decodeError(status: number, body: Json): WireError
}
