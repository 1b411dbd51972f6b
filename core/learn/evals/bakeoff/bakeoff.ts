import type { Json } from '../../../kernel/json/json.ts'
import type { Strength } from '../../../kernel/statistics/bradley-terry.ts'
import type { Comparator } from './compare-output.ts'
import type { Contestant } from './contestant.ts'
import type { ContestantPair } from './pairs.ts'
import type { Recommendation } from './recommend.ts'

/** States of a bake-off. */
export const BAKEOFF_STATES = ['queued', 'running', 'succeeded', 'failed'] as const

/** Share by which a cheaper contestant may be worse than the best and is still recommended. */
export const DEFAULT_MARGIN = 0.05
/** Examples in a prompt with examples. */
export const DEFAULT_SHOTS = 8

/** Rows on which a judge compares each pair of contestants. */
export const DEFAULT_JUDGED_ROWS = 20

/** Settings of a bake-off. */
export interface BakeoffOptions {
  readonly comparator: Comparator
  readonly margin: number
  /** Held-out rows at most. */
  readonly rows: number
  /** The instruction of the models, before the input; null for none. */
  readonly instruction: string | null
  readonly shots: number
  /** Tokens of an answer at most. */
  readonly maxTokens: number
  /** The model that compares answers; null for none. */
  readonly judge: string | null
  /** Rows on which it compares each pair of contestants. */
  readonly judgedRows: number
}

/** The request for a bake-off. */
export interface BakeoffDefinition {
  readonly contestants: readonly Contestant[]
  readonly options: BakeoffOptions
  /** Whose keys models are asked with. */
  readonly caller: { readonly memberId: string | null; readonly teamId: string | null }
}

/** A row of a dataset, as contestants see it: with an output to learn from, or to be scored by. */
export interface BakeoffRow {
  /** Its place in the version. */
  readonly place: number
  readonly input: Json
  readonly output: Json
  /** Rows of one group belong together, such as those of one conversation. */
  readonly group: number
}

/** Facts of how a contestant came to be. */
export interface ContestantFacts {
  /** Rows that it learned from, or that its prompt shows; null for one that existed before. */
  readonly trainRows: number | null
  /** Time of fitting, on the wall and of the processor. */
  readonly fitMs: number | null
  readonly fitCpuMs: number | null
  /** The process or thread whose time was measured for answers; null where none was. */
  readonly cpuOf: 'thread' | 'process' | null
  /** The model that was asked, as its provider names it. */
  readonly provider: string | null
  readonly model: string | null
  /** The source of prices: `operator`, or the date of a price list; null without a price. */
  readonly priceSource: string | null
  readonly privacy: 'local' | 'byo-vendor'
  /** True when the same rows give the same answers again. */
  readonly isDeterministic: boolean
}

/** The result of a bake-off, beside the figures of each contestant. */
export interface BakeoffSummary {
  readonly pairs: readonly ContestantPair[]
  /** Null where no contestant has a right answer. */
  readonly recommendation: Recommendation | null
  /** Null without a judge. */
  readonly judge: JudgeSummary | null
}

/** The preferences of a judge. */
export interface JudgeSummary {
  readonly model: string
  /** Why it did not compare all pairs; null when it did. */
  readonly errorCode: string | null
  /** Comparisons with a verdict, and those without one. */
  readonly judged: number
  readonly unread: number
  /** US dollars paid for its verdicts; null where they have no price. */
  readonly usd: number | null
  /** By the place of the contestant. */
  readonly strengths: readonly (Strength & { readonly contestant: number })[]
}
