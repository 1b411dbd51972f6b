import { COMPILE_ERRORS } from '../../../../core/compile/errors.ts'
import { isFinal } from '../../../../core/compile/rows/task.ts'
import { KERNEL_ERRORS } from '../../../../core/kernel/errors.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { postEvents } from '../events/append-event.ts'
import { lockJob } from '../../jobs/lock-job.ts'
import { listQuestions, type AskedQuestion } from './questions.ts'

/** A caller's reply to a question. */
export type GivenAnswer =
  | { readonly state: 'answered'; readonly output: Json }
  | { readonly state: 'skipped' | 'invalid_input' }

/**
 * Answers an open question, with its event and audit row, in one transaction; `wake` runs after the commit. Throws
 * `not_found` for an unknown job or question, `already_finished` when the job is over, `question_answered`, and
 * `question_closed` when its time is over.
 */
export async function answerQuestion(
  op: Operation,
  input: {
    readonly jobId: string
    readonly number: number
    readonly answer: GivenAnswer
    readonly wake: () => void
  },
): Promise<AskedQuestion> {
  const { jobId, number, answer, wake } = input
  return await op.write(async (tx) => {
    const now = op.now()
    const job = await lockJob(tx, jobId, op.tenantId)
    const question = (await listQuestions(tx, jobId)).find((one) => one.number === number)
    if (question === undefined) throw KERNEL_ERRORS.not_found(`the job has no question ${number}`)
    requireOpen(question, isFinal(job.status) ? job.status : null, now)
    const given = answer.state === 'answered' ? { output: answer.output } : null
    await tx.q
      .updateTable('compile_questions')
      .set({ state: answer.state, given: given === null ? null : json(given), answered_at: now })
      .where('job_id', '=', jobId)
      .where('number', '=', number)
      .execute()
    const body = {
      step: 'k-sample',
      code: 'question_answered',
      message: `question ${number} is ${answer.state.replace('_', ' ')}`,
      question: number,
    }
    postEvents(tx, jobId, [{ kind: 'log', body }], now)
    await recordAudit(tx, op, {
      action: 'compile.question_answered',
      target: jobId,
      payload: { job_id: jobId, question: number, answer: answer.state },
    })
    tx.afterCommit(wake)
    return { ...question, state: answer.state, given, answeredAt: now }
  })
}

function requireOpen(question: AskedQuestion, end: string | null, now: Date): void {
  const { number, state, answerBy } = question
  if (end !== null) throw COMPILE_ERRORS.already_finished(`the job is ${end} already and takes no answer`)
  if (state === 'expired' || (state === 'open' && answerBy <= now)) {
    throw COMPILE_ERRORS.question_closed(`question ${number} was open until ${answerBy.toISOString()}`)
  }
  if (state !== 'open') throw COMPILE_ERRORS.question_answered(`question ${number} has an answer: ${state}`)
}
