import type { Json } from '../../../kernel/json/json.ts'
import { nextQuestion, type Question } from '../../synthesis/questions/next-question.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import type { SampleInput, StageHooks } from '../stage-types.ts'
import { samplePart, splitSample } from './sample-part.ts'

/** Input of the search for a question: the rows with the answers so far. Plain data: it crosses threads. */
export interface QuestionInput {
  readonly input: SampleInput
  /** Inputs that were asked about already. */
  readonly asked: readonly Json[]
}

/**
 * Searches programs as a compile of these rows does, and returns the next question about an unlabelled input: null when
 * the candidates agree on all of them, and when there is none. The same rows give the same question, unless the clock
 * ends the search. Throws `no_examples`, `train_holdout_leakage` and `compile_cancelled`.
 */
export function findQuestion({ input, asked }: QuestionInput, hooks: StageHooks = {}): Question | null {
  const { split } = splitSample(input)
  const { whole } = samplePart({ input, split, part: { kind: 'program', fold: null } }, hooks)
  const posterior = whole?.posterior
  if (posterior === undefined) return null
  return nextQuestion({
    candidates: posterior.candidates,
    rows: input.rows,
    unlabelled: (input.unlabelled ?? []).map((one) => one.input),
    asked,
    equality: taskEquality(input.rows, split),
  })
}
