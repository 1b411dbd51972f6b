import type { Json } from '../../kernel/json/json.ts'
import type { BenchDefinition } from './bench/runs/bench-definition.ts'
import type { RowMarks } from './bench/runs/marks.ts'
import type { RowResponses } from './scoring/responses.ts'
import type { RowScore } from './scoring/score-row.ts'
import type { TaskSet } from './task/read-tasks.ts'

/** States of an evaluation. */
export const EVAL_STATES = ['queued', 'running', 'succeeded', 'failed'] as const

/** The target of an evaluation. */
export type TargetSpec =
  /** An artifact, as `/v1/run` answers. */
  | { readonly kind: 'artifact'; readonly artifactId: string; readonly cid: string }
  /** A base, perhaps with the adapter of an artifact. */
  | { readonly kind: 'base'; readonly base: string; readonly adapterId: string | null; readonly cid: string | null }
  /** A model of a provider, asked with the keys of the caller that started the evaluation. */
  | {
      readonly kind: 'model'
      readonly model: string
      readonly memberId: string | null
      readonly teamId: string | null
    }
  /** The target that a log of another tool names. */
  | { readonly kind: 'logged'; readonly model: string }

/** The source of an evaluation's figures: scored here, or stated by a log that was imported. */
export const EVAL_SOURCES = ['measured', 'asserted'] as const

/** Sides of a dataset whose rows can be evaluated. */
export const EVAL_SIDES = ['holdout', 'train', 'all'] as const

/** The version of a dataset whose rows are evaluated. */
export interface EvalDataset {
  readonly datasetId: string
  readonly version: number
  readonly side: (typeof EVAL_SIDES)[number]
  readonly merkleRoot: string
}

/** One answer of a provider's model, as it was paid for. */
export interface BoughtAnswer {
  readonly text: string
  /** True where the model or a filter declined. */
  readonly isRefusal: boolean
  readonly inputTokens: number
  readonly outputTokens: number
  /** Null where no price is known. */
  readonly costUsdMicros: number | null
}

/** The request for an evaluation, beside the rows. */
export interface EvalDefinition {
  readonly target: TargetSpec
  readonly set: TaskSet
  readonly seed: number
  readonly fewShots: number | null
  readonly limit: number | null
  readonly sliceBy: string | null
  readonly clusterBy: string | null
  /** Absent for an evaluation that is no run of a benchmark. */
  readonly bench?: BenchDefinition
  /** Absent where the rows came with the call. */
  readonly dataset?: EvalDataset
}

/** The outcome of one row. */
export interface RowOutcome {
  readonly responses: RowResponses
  /** The marks of a sandbox or a judge for the answers; absent where the answers are compared. */
  readonly marks?: RowMarks
  readonly scores: readonly RowScore[]
  readonly rightRepeats: number | null
  readonly cutTokens: number
  /** Why there is no answer: an artifact abstained or failed, or a provider's model declined. */
  readonly silence: 'abstained' | 'recipe_failed' | 'refused' | null
  readonly confidence: number | null
}

/** Returns the name of a target for people. */
export function targetName(target: TargetSpec): string {
  if (target.kind === 'artifact') return target.artifactId
  if (target.kind !== 'base') return target.model
  return target.adapterId === null ? target.base : `${target.base} with ${target.adapterId}`
}

/** Returns the answer of a row as a value: a text, the index of the likeliest option, or a log-probability. */
export function answerOf({ responses, scores }: RowOutcome): Json {
  if (responses.type === 'rolling') return responses.logProb
  if (responses.type === 'texts') return scores[0]?.filtered ?? null
  const logProbs = responses.likelihoods.map(({ logProb }) => logProb)
  return logProbs.length === 1 ? (logProbs[0] ?? null) : logProbs.indexOf(Math.max(...logProbs))
}
