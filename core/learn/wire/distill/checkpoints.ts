import { z } from 'zod'

const Step = z.int().min(0)

/** A measurement of the values of a step on the rows that the fit sets aside for early stopping, as an event has it. */
export const MeasuredCheckpoint = z.object({
  step: Step,
  validation_loss: z.number(),
  /** Value that early stopping minimises. */
  risk: z.number(),
  accuracy: z.number().nullable(),
})
export type MeasuredCheckpoint = z.output<typeof MeasuredCheckpoint>

/** The same in a run. */
export const RunCheckpoint = z.object({
  step: Step,
  validation_loss: z.number(),
  accuracy: z.number().nullable().meta({
    description:
      'Expected share of right answers when they are sampled; null for preferences and divergences, whose rows have none',
  }),
  is_best: z.boolean().meta({ description: 'Its values are the result of the fit so far' }),
})
type RunCheckpoint = z.output<typeof RunCheckpoint>

/** Returns checkpoints by step, each once, and marks the result of the fit so far: the first of the lowest risk. */
export function checkpointsOf(measured: readonly MeasuredCheckpoint[]): RunCheckpoint[] {
  // A fit that resumes reports some again.
  const byStep = new Map(measured.map((checkpoint) => [checkpoint.step, checkpoint]))
  const checkpoints = [...byStep.values()].toSorted((one, other) => one.step - other.step)
  const lowest = Math.min(...checkpoints.map(({ risk }) => risk))
  const best = checkpoints.find(({ risk }) => risk === lowest)
  return checkpoints.map(({ risk: _risk, ...shown }) => ({ ...shown, is_best: shown.step === best?.step }))
}
