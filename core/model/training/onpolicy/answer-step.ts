import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { Bucket } from '../../llama/batch.ts'
import { createRandom } from '../../random.ts'
import { planOnce, type PlannedStep } from '../data/batches.ts'
import { sizeOf } from '../data/buckets.ts'
import type { ObjectiveSettings } from '../objectives/objective.ts'
import type { Unit } from '../rows.ts'
import type { Student } from './student.ts'
import type { TaughtEngine } from './taught-engine.ts'

/** The rows of one step as they are trained. */
export interface StepRows {
  readonly step: PlannedStep
  readonly units: readonly Unit[]
  readonly rows: number
  /** Rows whose answer the student wrote. */
  readonly answeredRows: number
}

/** Prepares the rows of a step, counted from 1 to `steps`: replaces answers by those of the student. */
export type AnswerStep = (number: number, steps: number, step: PlannedStep) => Promise<StepRows>

/** Settings of the answers of on-policy training. */
export interface OnPolicySettings {
  readonly objective: Extract<ObjectiveSettings, { kind: 'gkd' }>
  readonly seed: number
  readonly units: readonly Unit[]
  readonly buckets: readonly Bucket[]
  /** Most tokens of a prompt with its answer. */
  readonly maxLength: number
  /** Null where it never answers. */
  readonly student: Student | null
  /** Returns the adapter as it is now. */
  readonly adapter: () => LoraAdapter
  readonly engine: Pick<TaughtEngine, 'teach'>
}

/**
 * On-policy training: after the warm-up, with probability `lmbda` the student answers the prompts of a step itself, and the step is packed
 * anew (Agarwal et al., "On-Policy Distillation of Language Models", 2024, algorithm 1). Choice and answers follow from
 * the seed, the number of the step and the adapter alone, so that a job continues from a checkpoint with the same bytes.
 */
export function createAnswerStep({
  objective,
  seed,
  units,
  buckets,
  maxLength,
  student,
  adapter,
  engine,
}: OnPolicySettings): AnswerStep {
  const { lmbda, temperature, maxNewTokens, warmup } = objective
  return async (number, steps, step) => {
    const members = step.flatMap((batch) => batch.units.flatMap((index) => units[index] ?? []))
    const random = createRandom(seed, `answers of step ${number}`)
    const isWarm = number > Math.ceil(warmup * steps)
    engine.teach(isWarm)
    if (student === null || !isWarm || random.float() >= lmbda)
      return { step, units, rows: members.length, answeredRows: 0 }
    const prompts = members.map(({ sequences }) => {
      const prompt = sequences[0]?.prompt ?? []
      return { prompt, maxNewTokens: Math.min(maxNewTokens, maxLength - prompt.length), seed: random.uint32() }
    })
    const answers = await student.answer(prompts, adapter(), temperature)
    const answered = members.map((unit, index): Unit => {
      const [prompt, answer] = [prompts[index]?.prompt ?? [], answers[index] ?? []]
      return { ...unit, sequences: [{ prompt, answer }] }
    })
    return {
      step: planOnce(answered.map(sizeOf), buckets),
      units: answered,
      rows: answered.length,
      answeredRows: answered.length,
    }
  }
}
