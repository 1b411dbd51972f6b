import type { Json } from '../../kernel/json/json.ts'
import type { BenchDefinition } from '../bench/runs/bench-definition.ts'
import type { RowMarks } from '../bench/runs/marks.ts'
import type { RowResponses } from './scoring/responses.ts'
import type { RowScore } from './scoring/score-row.ts'
import type { TaskSet } from './task/read-tasks.ts'

/** States of an evaluation. */
export const EVAL_STATES = ['queued', 'running', 'succeeded', 'failed'] as const

/** What an evaluation asks. */
export type TargetSpec =
  /** An artifact, as `/v1/run` answers. */
  | { readonly kind: 'artifact'; readonly artifactId: string; readonly cid: string }
  /** A base, perhaps with the adapter of an artifact. */
  | { readonly kind: 'base'; readonly base: string; readonly adapterId: string | null; readonly cid: string | null }

/** What was asked for, beside the rows. */
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
}

/** The outcome of one row. */
export interface RowOutcome {
  readonly responses: RowResponses
  /** What a sandbox or a judge made of the answers; absent where the answers are compared. */
  readonly marks?: RowMarks
  readonly scores: readonly RowScore[]
  readonly rightRepeats: number | null
  readonly cutTokens: number
  readonly silence: 'abstained' | 'recipe_failed' | null
  readonly confidence: number | null
}

/** Returns the name of a target for people. */
export function targetName(target: TargetSpec): string {
  if (target.kind === 'artifact') return target.artifactId
  return target.adapterId === null ? target.base : `${target.base} with ${target.adapterId}`
}

/** Returns the answer of a row as a value: a text, the index of the likeliest option, or a log-probability. */
export function answerOf({ responses, scores }: RowOutcome): Json {
  if (responses.type === 'rolling') return responses.logProb
  if (responses.type === 'texts') return scores[0]?.filtered ?? null
  const logProbs = responses.likelihoods.map(({ logProb }) => logProb)
  return logProbs.length === 1 ? (logProbs[0] ?? null) : logProbs.indexOf(Math.max(...logProbs))
}
