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
})

/** One look at the validation rows. */
const ValidationRecord = z.object({
  step: z.int(),
  loss: z.number(),
  /** Value that early stopping minimises, see `riskOf`. */
  risk: z.number(),
})

/** Course of a job. */
export const FitHistory = z.object({ steps: z.array(StepRecord), validations: z.array(ValidationRecord) })
export type FitHistory = z.infer<typeof FitHistory>

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
  readonly learningRate: number
  /** Tokens that are not padding for each second of the last steps. */
  readonly tokensPerSecond: number
  readonly etaSeconds: number
}
