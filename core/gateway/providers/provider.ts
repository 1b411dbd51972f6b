import type { JsonObject } from '../../kernel/json/json.ts'

/** The wire formats that providers of frontier models speak. */
export const DIALECTS = ['chat-completions', 'messages', 'generate-content'] as const
export type DialectName = (typeof DIALECTS)[number]

/** The wire formats in which callers ask the gateway for an answer of a model. */
export const CALLER_DIALECTS = [...DIALECTS, 'responses'] as const
export type CallerDialectName = (typeof CALLER_DIALECTS)[number]

/** One turn of a conversation. System turns come first. */
export interface ProviderMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
}

/** Schema of a structured answer. */
export interface OutputSchema {
  /** Letters, digits and `_`, at most 64. */
  readonly name: string
  /**
   * JSON Schema within the subset of strict modes: every property required, `additionalProperties: false`, no keywords
   * but `type`, `properties`, `items`, `enum`, `const`, `anyOf`, `$ref` and `$defs`; the root is an object.
   */
  readonly schema: JsonObject
}

/** One question to a model, in no dialect. */
export interface ProviderRequest {
  readonly messages: readonly ProviderMessage[]
  /** 0 to 2; a provider with a lower maximum gets its maximum. */
  readonly temperature: number
  /** Share of the likeliest tokens that are drawn from, above 0; all when absent. */
  readonly topP?: number
  /** Asks for the same answer to the same question, where a provider knows it; 0 to 2147483647. */
  readonly seed?: number
  /** Output tokens of one sample at most, reasoning included. */
  readonly maxTokens: number
  /** Asks for an answer of this form; the prompt also describes it. */
  readonly schema?: OutputSchema
  /** Requests any JSON value when there is no schema. */
  readonly wantsJson?: boolean
  /** Texts that end a sample; what a sample holds of them is not sent. None when absent. */
  readonly stop?: readonly string[]
  /** Number of samples; at most the provider's `maxSamplesPerCall`. */
  readonly n: number
}

/**
 * Reason for which a sample ended. `length`: it was cut off. `refusal`: the model or a filter declined; the text may be
 * empty.
 */
export type SampleFinish = 'stop' | 'length' | 'refusal' | 'other'

/** One sample. */
export interface ProviderSample {
  readonly text: string
  readonly finish: SampleFinish
}

/** Tokens that a call is billed for. */
export interface TokenUsage {
  /** All tokens of the prompt, those read from the provider's cache included. */
  readonly inputTokens: number
  readonly cachedTokens: number
  /** All generated tokens over all samples, reasoning included. */
  readonly outputTokens: number
}

/** The answer to one call. It may hold fewer samples than requested. */
export interface ProviderReply {
  readonly samples: readonly ProviderSample[]
  /** Null when the provider does not report it: the call's maximum cost is charged then. */
  readonly usage: TokenUsage | null
  /** The model as the provider names it. */
  readonly model: string
  readonly latencyMs: number
}

/** A model behind a provider. One call is one attempt: retries are the caller's (`upstream/retry.ts`). */
export interface Provider {
  readonly dialect: DialectName
  readonly model: string
  /** Identifies provider, address and model; part of the key of a cached answer. Holds no secret. */
  readonly identity: string
  readonly maxSamplesPerCall: number
  /** Sends one request. Throws `ProviderError`, and the signal's reason when it is aborted. */
  ask(request: ProviderRequest, signal: AbortSignal): Promise<ProviderReply>
  /** Ends the connections. Calls still running fail. */
  close(): Promise<void>
}
