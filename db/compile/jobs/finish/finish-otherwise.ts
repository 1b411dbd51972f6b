import type { ErrorCode } from '../../../../core/compile/errors.ts'
import type { Json, JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { json } from '../../../kernel/queries/typed.ts'
import { finishJob, type FinishedJob } from './finish.ts'

/** Result of a job below its floor. */
export interface FinishGatedInput {
  readonly jobId: string
  readonly limits: Limits
  readonly kScore: number
  readonly evaluation: Json
  /** Ids of the rows that the best recipe got wrong, up to the listing limit. */
  readonly failingRows: readonly string[]
  /** Total number of wrong rows. */
  readonly failingCount: number
  /** The reason, for people. */
  readonly message: string
}

/** Ends a job whose best recipe is below the floor: nothing is signed, the units are returned. A no-op when final. */
export async function finishGated(op: Operation, input: FinishGatedInput): Promise<FinishedJob> {
  return await finishJob(op, input, async (tx, job) => {
    await tx.q
      .updateTable('compile_jobs')
      .set({
        k_score: input.kScore,
        evaluation: json(input.evaluation),
        failing_rows: json(input.failingRows),
        error_code: 'k_score_below_floor',
        error_message: input.message,
      })
      .where('id', '=', job.id)
      .execute()
    const body: JsonObject = {
      job: job.id,
      error_code: 'k_score_below_floor',
      error: input.message,
      k_score: input.kScore,
      k_score_floor: job.kScoreFloor,
      failing_rows: input.failingRows.slice(0, 100),
      failing_row_count: input.failingCount,
    }
    return {
      status: 'gated',
      events: [{ kind: 'gated', body }],
      audit: {
        action: 'compile.gated',
        target: job.id,
        payload: { job_id: job.id, k_score: input.kScore, k_score_floor: job.kScoreFloor },
      },
    }
  })
}

/** Fails a job; the units are returned. A no-op when final. */
export async function finishFailed(
  op: Operation,
  input: {
    readonly jobId: string
    readonly limits: Limits
    readonly errorCode: ErrorCode
    readonly errorMessage: string
    /** The known part of an incomplete evaluation. */
    readonly evaluation?: JsonObject | undefined
  },
): Promise<FinishedJob> {
  const { errorCode, errorMessage, evaluation } = input
  return await finishJob(op, input, async (tx, job) => {
    await tx.q
      .updateTable('compile_jobs')
      .set({
        error_code: errorCode,
        error_message: errorMessage,
        evaluation: evaluation === undefined ? null : json<Json>(evaluation),
      })
      .where('id', '=', job.id)
      .execute()
    return {
      status: 'failed',
      events: [{ kind: 'error', body: { job: job.id, error_code: errorCode, error: errorMessage, ...evaluation } }],
      audit: {
        action: 'compile.failed',
        target: job.id,
        payload: { job_id: job.id, error: errorCode },
      },
    }
  })
}

/** Cancels a job for its tenant and returns the units. A no-op for a final job. */
export async function finishCancelled(
  op: Operation,
  input: { readonly jobId: string; readonly limits: Limits },
): Promise<FinishedJob> {
  return await finishJob(op, input, async (tx, job) => {
    const message = 'the compile was cancelled'
    await tx.q
      .updateTable('compile_jobs')
      .set({ error_code: 'compile_cancelled', error_message: message })
      .where('id', '=', job.id)
      .execute()
    return {
      status: 'cancelled',
      events: [{ kind: 'error', body: { job: job.id, error_code: 'compile_cancelled', error: message } }],
      audit: { action: 'compile.cancelled', target: job.id, payload: { job_id: job.id } },
    }
  })
}
