import { readQuestions } from '../../../../core/compile/synthesis/questions/question-choices.ts'
import type { CompileJob } from '../../../../db/compile/jobs/compile-job.ts'
import {
  askQuestion,
  closeExpired,
  listQuestions,
  type AskedQuestion,
} from '../../../../db/compile/questions/questions.ts'
import { operationOf } from '../deps.ts'
import type { OpenQuestion } from '../results.ts'
import type { StageWork } from '../run-stage.ts'
import { watchProgress } from '../watch-progress.ts'
import { sampleInput } from './sample-input.ts'

/**
 * Returns the question that the job waits for: the open one, or the next, which it asks. Null when no question is left,
 * when the job has asked as many as it may, and once one was not answered in time.
 */
export async function openQuestion(work: StageWork, job: CompileJob): Promise<OpenQuestion | null> {
  const { deps, ref, activity, data } = work
  const { max, waitS } = readQuestions(job.spec)
  if (max === 0) return null
  const op = operationOf(deps, ref)
  await closeExpired(op, { jobId: ref.jobId, now: deps.now() })
  const before = await listQuestions(op, ref.jobId)
  const open = before.find(({ state }) => state === 'open')
  if (open !== undefined) return waitFor(open, max, deps.now())
  if (before.length >= max || before.some(({ state }) => state === 'expired')) return null
  const selection = await data.rows()
  const question = await deps.pool.findQuestion(
    {
      input: sampleInput(deps, job, selection),
      asked: before.map(({ input }) => input),
    },
    watchProgress(deps, ref, 'k-sample', activity),
  )
  if (question === null) return null
  await askQuestion(op, { jobId: ref.jobId, number: before.length + 1, question, waitS, now: deps.now() })
  const asked = (await listQuestions(op, ref.jobId)).find(({ state }) => state === 'open')
  return asked === undefined ? null : waitFor(asked, max, deps.now())
}

function waitFor({ number, answerBy }: AskedQuestion, max: number, now: Date): OpenQuestion {
  return { number, left: max - number + 1, waitMs: Math.max(0, answerBy.getTime() - now.getTime()) }
}
