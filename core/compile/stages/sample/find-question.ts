import type { Json } from '../../../kernel/json/json.ts'
import { nextQuestion, type Question } from '../../questions/next-question.ts'
import { candidatesFor, MOST_CANDIDATES } from '../../questions/posterior.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../synthesis/synthesize.ts'
import { startCpuTime } from '../cpu-time.ts'
import type { SampleInput, StageHooks } from '../stage-types.ts'
import { splitSample } from './sample-part.ts'
import { pickFirst } from './searched-rows.ts'

/** Input of the search for a question: the rows with the answers so far. Plain data: it crosses threads. */
export interface QuestionInput {
  readonly input: SampleInput
  readonly unlabelled: readonly Json[]
  /** Inputs that were asked about already. */
  readonly asked: readonly Json[]
}

/** Rows that the search sees at most. */
const MOST_ROWS = 32

/**
 * Searches programs on the rows and returns the next question about an unlabelled input, or null when the candidates
 * agree on all of them. The same rows give the same question, unless the clock ends the search. Throws `no_examples`
 * and `train_holdout_leakage`.
 */
export function findQuestion({ input, unlabelled, asked }: QuestionInput, hooks: StageHooks = {}): Question | null {
  const { split } = splitSample(input)
  const equality = taskEquality(input.rows, split)
  const rows = pickFirst(
    input.rows.filter(({ kind }) => kind !== 'test'),
    MOST_ROWS,
  )
  const cpuMs = startCpuTime()
  hooks.onProgress?.({ stage: 'k-sample', step: 'look for a question', done: 1, total: 100 })
  const found = synthesize(rows, {
    k: MOST_CANDIDATES,
    workBudget: input.workBudget ?? DEFAULT_WORK_BUDGET,
    isCancelled: () => cpuMs() >= input.budgetMs || hooks.isCancelled?.() === true,
    equality,
    task: input.task,
    unlabelled,
  })
  const candidates = candidatesFor(found.candidates, rows, equality)
  return nextQuestion({ candidates, rows: input.rows, unlabelled, asked, equality })
}
