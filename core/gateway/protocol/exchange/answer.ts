import type { TokenUsage } from '../../providers/provider.ts'
import type { SealedThinkingPart, TextPart, ThinkingPart, ToolCallPart } from './request.ts'

/**
 * Why an answer ended. `length`: it was cut off. `tool_calls`: the model waits for results. `refusal`: the model or a
 * filter declined.
 */
export type Finish = 'stop' | 'stop_sequence' | 'length' | 'tool_calls' | 'refusal' | 'other'

/** A piece of an answer. */
export type AnswerPart = TextPart | ThinkingPart | SealedThinkingPart | ToolCallPart

/** One sample of an answer. */
export interface AnswerChoice {
  readonly parts: readonly AnswerPart[]
  readonly finish: Finish
}

/** Tokens of a call, as its provider counts them. */
export interface Usage extends TokenUsage {
  /** Tokens of the prompt that the provider wrote to its cache; part of `inputTokens`. */
  readonly cacheWriteTokens: number
  /** Those of `cacheWriteTokens` that the provider keeps for an hour. */
  readonly hourCacheWriteTokens?: number
  /** Tokens of reasoning; part of `outputTokens`. */
  readonly reasoningTokens: number
}

/** An answer of a model, in no dialect. */
export interface ModelAnswer {
  readonly id: string
  /** The model as the provider names it; empty when it does not. */
  readonly model: string
  readonly choices: readonly AnswerChoice[]
  /** Null when the provider does not report it. */
  readonly usage: Usage | null
}

/** The usage with what an object lacks as zero. */
export function usageOf(counts: Partial<Usage>): Usage {
  return { inputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0, ...counts }
}
