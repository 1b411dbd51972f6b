import type { PartOutput } from '../../../../core/compile/stages/sample/sample-part.ts'
import { readQuestions } from '../../../../core/compile/synthesis/questions/question-choices.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import {
  askQuestion,
  closeExpired,
  listQuestions,
  type AskedQuestion,
} from '../../../../db/compile/progress/questions/questions.ts'
import { operationOf } from '../deps.ts'
import type { OpenQuestion } from '../results.ts'
import type { StageWork } from '../run-stage.ts'
import { watchProgress } from '../watch-progress.ts'
import { sampleInput } from './sample-input.ts'

/** The question that a job waits for, or the search that found none left. */
export interface OpenedQuestion {
  readonly question: OpenQuestion | null
  /** The search over all rows as they are now, when one was made: sampling need not repeat it. */
  readonly searched: PartOutput | null
}

/** No question, and no search. */
export const NO_QUESTION: OpenedQuestion = { question: null, searched: null }

/**
 * Returns the question that the job waits for: the open one, or the next, which it asks. Null when no question is left,
 * when the job has asked as many as it may, and once one was not answered in time.
 */
export async function openQuestion(work: StageWork, job: CompileJob): Promise<OpenedQuestion> {
  const { deps, ref, activity, data } = work
  const { max, waitS } = readQuestions(job.spec)
  if (max === 0) return NO_QUESTION
  const op = operationOf(deps, ref)
  await closeExpired(op, { jobId: ref.jobId, now: deps.now() })
  const before = await listQuestions(op, ref.jobId)
  const open = before.find(({ state }) => state === 'open')
  if (open !== undefined) return { question: waitFor(open, max, deps.now()), searched: null }
  if (before.length >= max || before.some(({ state }) => state === 'expired')) return NO_QUESTION
  const selection = await data.rows()
  const { question, searched } = await deps.pool.findQuestion(
    {
      input: sampleInput(deps, job, selection),
      asked: before.map(({ input }) => input),
    },
    watchProgress(deps, ref, 'k-sample', activity),
  )
  if (question === null) return { question, searched }
  await askQuestion(op, { jobId: ref.jobId, number: before.length + 1, question, waitS, now: deps.now() })
  const asked = (await listQuestions(op, ref.jobId)).find(({ state }) => state === 'open')
  return { question: asked === undefined ? null : waitFor(asked, max, deps.now()), searched: null }
}

function waitFor({ number, answerBy }: AskedQuestion, max: number, now: Date): OpenQuestion {
  return { number, left: max - number + 1, waitMs: Math.max(0, answerBy.getTime() - now.getTime()) }
}
