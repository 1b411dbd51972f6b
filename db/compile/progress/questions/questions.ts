import type { QuestionState } from '../../../../core/compile/wire/jobs/questions.ts'
import type { Question, QuestionReason } from '../../../../core/compile/synthesis/questions/next-question.ts'
import type { RivalAnswer } from '../../../../core/compile/synthesis/questions/rival-answers.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../../kernel/operation.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { postEvents } from '../events/append-event.ts'
import { assertUnfinished, lockJob } from '../../jobs/lock-job.ts'

/** A question of a job as it stands. */
export interface AskedQuestion {
  /** From 1. */
  readonly number: number
  readonly state: QuestionState
  readonly input: Json
  readonly reason: QuestionReason
  readonly answers: readonly RivalAnswer[]
  readonly unanswered: number
  /** The given output; null for a question without one. */
  readonly given: { readonly output: Json } | null
  readonly askedAt: Date
  readonly answerBy: Date
  readonly answeredAt: Date | null
}

/** Lists the questions of a job in their order. */
export async function listQuestions(from: Reader, jobId: string): Promise<readonly AskedQuestion[]> {
  return await from.read((q) =>
    q
      .selectFrom('compile_questions')
      .select([
        'number',
        'state',
        'input',
        'reason',
        'answers',
        'unanswered',
        'given',
        'asked_at as askedAt',
        'answer_by as answerBy',
        'answered_at as answeredAt',
      ])
      .where('job_id', '=', jobId)
      .orderBy('number')
      .$narrowType<{ reason: QuestionReason }>(),
  )
}

/**
 * Asks a question, once: a later call with the same number changes nothing. Throws `compile_cancelled` or
 * `already_finished` when the job is over.
 */
export async function askQuestion(
  op: TenantAccess,
  input: {
    readonly jobId: string
    readonly number: number
    readonly question: Question
    readonly waitS: number
    readonly now: Date
  },
): Promise<void> {
  const { jobId, number, question, waitS, now } = input
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const [asked] = await tx.q
      .insertInto('compile_questions')
      .values({
        job_id: jobId,
        number,
        tenant_id: op.tenantId,
        state: 'open',
        input: json(question.input),
        reason: question.reason,
        answers: json(question.answers),
        unanswered: question.unanswered,
        asked_at: now,
        answer_by: new Date(now.getTime() + waitS * 1000),
      })
      .onConflict((on) => on.columns(['job_id', 'number']).doNothing())
      .returning('number')
      .execute()
    if (asked === undefined) return
    const body = { step: 'k-sample', code: 'question_asked', message: `question ${number} is open`, question: number }
    postEvents(tx, jobId, [{ kind: 'log', body }], now)
  })
}

/** Closes the questions of a job whose time is over. */
export async function closeExpired(
  op: TenantAccess,
  { jobId, now }: { readonly jobId: string; readonly now: Date },
): Promise<void> {
  await op.write(async (tx) => {
    assertUnfinished(await lockJob(tx, jobId, op.tenantId))
    const closed = await tx.q
      .updateTable('compile_questions')
      .set({ state: 'expired' })
      .where('job_id', '=', jobId)
      .where('state', '=', 'open')
      .where('answer_by', '<=', now)
      .returning('number')
      .execute()
    const events = closed.map(({ number }) => ({
      kind: 'log' as const,
      body: {
        step: 'k-sample',
        code: 'question_expired',
        message: `question ${number} was not answered in time`,
        question: number,
      },
    }))
    postEvents(tx, jobId, events, now)
  })
}
