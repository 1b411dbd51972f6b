import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { ModelAnswer } from '../exchange/answer.ts'
import type { ModelRequest } from '../exchange/request.ts'
import type { StreamReader, StreamWriter, WireError } from '../exchange/stream.ts'
import type { CallerDialectName, DialectName } from '../../providers/provider.ts'

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

/** An error as a dialect answers it. */
export interface DialectError {
  readonly status: number
  readonly message: string
  /** Our machine code, or the provider's own word. */
  readonly code: string
  readonly param: string | null
}

/** Facts of a call that its answer repeats. */
export interface AnswerFacts {
  /** Id of the answer where the provider gives none. */
  readonly id: string
  readonly model: string
  /** Seconds since 1970. */
  readonly createdS: number
  /** Whether a stream of chat completions ends with the counts. */
  readonly includesUsage: boolean
  /** Whether an answer of responses may be kept for later calls; at its end it says whether it is. False when absent. */
  readonly isKept?: boolean
  /** The response that the call of responses names as the one before it; null, or absent, without one. */
  readonly previousId?: string | null
}

/** A dialect in which a provider answers. Pure functions. */
export interface SpokenDialect {
  readonly name: CallerDialectName
  headers(apiKey: string): Readonly<Record<string, string>>
  /** Below the base address, with a leading slash. */
  path(model: string, isStreamed: boolean): string
  /**
   * Reads an answer; without the request when the caller speaks the same dialect. Throws `ProviderError`
   * `invalid_response` for a body that is no answer.
   */
  readAnswer(body: Json, request: ModelRequest | null): ModelAnswer
  /** Starts to read a stream; likewise. */
  readStream(request: ModelRequest | null): StreamReader
  /** Reads the body of an answer that is not 2xx; `body` is null when it is no JSON. */
  readError(status: number, body: Json): WireError
}

/** A dialect into which requests are translated. */
export interface ProviderDialect extends SpokenDialect {
  readonly name: DialectName
  readonly defaultBaseUrl: string
  readonly maxSamplesPerCall: number
  /** The body of a request. */
  writeRequest(request: ModelRequest, shape: WireShape): JsonObject
}

/** A dialect as callers speak it. Pure functions. */
export interface CallerDialect {
  readonly name: CallerDialectName
  /** Throws `validation_failed`, and `not_translatable` for a field that no other dialect has. */
  readRequest(body: JsonObject): ModelRequest
  writeAnswer(answer: ModelAnswer, facts: AnswerFacts): JsonObject
  writeStream(facts: AnswerFacts): StreamWriter
  writeError(error: DialectError): JsonObject
  /** An error inside a stream that has begun, after so many events; the text ends the stream. */
  writeStreamError(error: DialectError, eventsBefore: number): string
}

/** Both sides of a dialect. */
export type Dialect = ProviderDialect & CallerDialect
