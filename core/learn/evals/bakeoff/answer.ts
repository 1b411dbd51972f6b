import type { Json } from '../../../kernel/json/json.ts'

/** The cost of one answer, as it was measured. */
export interface AnswerCost {
  readonly latencyMs: number
  /** Processor time of the answer; null for what a provider computes. */
  readonly cpuMs: number | null
  readonly inputTokens: number | null
  readonly outputTokens: number | null
  /** US dollars paid to a provider; null where nothing has a price. */
  readonly usd: number | null
}

/** Why a row has no answer. */
export const SILENCES = ['abstained', 'recipe_failed', 'refused', 'not_json'] as const
/** One of them. */
export type Silence = (typeof SILENCES)[number]

/** An answer to one row. */
export interface BakeoffAnswer {
  readonly place: number
  readonly output: Json
  readonly silence: Silence | null
  readonly cost: AnswerCost
}

/** An answer that was compared with the expected one. */
export interface JudgedAnswer extends BakeoffAnswer {
  readonly isRight: boolean
  /** 1 for a right answer; under `json_fields` the share of right fields. */
  readonly score: number
}
