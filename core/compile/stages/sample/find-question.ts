import type { Json } from '../../../kernel/json/json.ts'
import { nextQuestion, type Question } from '../../synthesis/questions/next-question.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import { unlabelledApart } from '../../rows/intake/unlabelled-apart.ts'
import type { SampleInput, StageHooks } from '../stage-types.ts'
import { samplePart, splitSample, type PartOutput } from './sample-part.ts'

/** Input of the search for a question: the rows with the answers so far. Plain data: it crosses threads. */
export interface QuestionInput {
  readonly input: SampleInput
  /** Inputs that were asked about already. */
  readonly asked: readonly Json[]
}

/** The next question, and the search that it follows from. */
export interface FoundQuestion {
  /** Null when the candidates agree on every input, and when there is no input. */
  readonly question: Question | null
  /** The search over all rows: the same part of `k-sample` on the same rows. */
  readonly searched: PartOutput
}

/**
 * Searches programs as a compile of these rows does, and returns the next question about an unlabelled input. The same rows
 * give the same question, unless the clock ends the search. Throws `no_examples`, `train_holdout_leakage` and
 * `compile_cancelled`.
 */
export function findQuestion({ input, asked }: QuestionInput, hooks: StageHooks = {}): FoundQuestion {
  const { split } = splitSample(input)
  const searched = samplePart({ input, split, part: { kind: 'program', fold: null } }, hooks)
  const posterior = searched.whole?.posterior
  if (posterior === undefined) return { question: null, searched }
  const question = nextQuestion({
    candidates: posterior.candidates,
    rows: input.rows,
    unlabelled: unlabelledApart(input.rows, input.unlabelled ?? []).map((one) => one.input),
    asked,
    equality: taskEquality(input.rows, split, input.tolerances),
  })
  return { question, searched }
}
