import { z } from 'zod'

/** One step of the optimizer. */
const StepRecord = z.object({
  step: z.int(),
  /** From 1. */
  epoch: z.int(),
  loss: z.number(),
  learningRate: z.number(),
  /** Before clipping. */
  gradientNorm: z.number(),
  /** Of on-policy training: the rows of the step, and how many of them the student answered. */
  rows: z.int().exactOptional(),
  answeredRows: z.int().exactOptional(),
})

/** One look at the validation rows. */
const ValidationRecord = z.object({
  step: z.int(),
  loss: z.number(),
  /** Value that early stopping minimises, see `riskOf`. */
  risk: z.number(),
  /** Expected share of right answers when they are sampled; null where the objective has none, absent in older checkpoints. */
  accuracy: z.number().nullable().exactOptional(),
})

/** Looks that progress lists at most: the newest. */
export const MOST_LOOKS = 200

/** Course of a job. */
export const FitHistory = z.object({ steps: z.array(StepRecord), validations: z.array(ValidationRecord) })
export type FitHistory = z.infer<typeof FitHistory>

/** Returns the share of rows that the student answered itself; null for training that is never on-policy. */
export function onPolicyShare({ steps }: Pick<FitHistory, 'steps'>): number | null {
  let [rows, answered] = [0, 0]
  for (const step of steps) {
    rows += step.rows ?? 0
    answered += step.answeredRows ?? 0
  }
  return rows > 0 ? answered / rows : null
}

/** Progress of a job. */
export interface FitProgress {
  readonly step: number
  /** Steps that the job has unless it stops early. */
  readonly steps: number
  /** From 1. */
  readonly epoch: number
  readonly loss: number
  /** Of the last look; null before it. */
  readonly validationLoss: number | null
  /** The looks so far, at most `MOST_LOOKS`; absent where the trainer does not list them. */
  readonly validations?: FitHistory['validations']
  readonly learningRate: number
  /** Of on-policy training: the share of rows so far that the student answered itself. */
  readonly onPolicyShare?: number
  /** Tokens that are not padding for each second of the last steps. */
  readonly tokensPerSecond: number
  readonly etaSeconds: number
}
