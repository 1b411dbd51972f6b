import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { isOver, type RunState } from '../../../core/learn/distill/run.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { appendRunEvents } from './run-events.ts'

/** The end of a run. Measured figures are kept in every case. */
export interface RunEnd {
  readonly state: 'completed' | 'failed' | 'cancelled'
  readonly error?: { readonly code: ErrorCode; readonly message: string }
  /** The K-score that was measured. */
  readonly kScore?: number | null
  /** Members that are put into the manifest. */
  readonly manifest?: JsonObject
}

const ACTIONS = {
  completed: 'distill.completed',
  failed: 'distill.failed',
  cancelled: 'distill.cancelled',
} as const

/** More that is written in the transaction of a change. */
export type AlsoWritten = (tx: Transaction) => Promise<void>

/** Ends a run, once. Returns the state that it has then: that of its first end. Throws `not_found`. */
export async function finishRun(op: Operation, runId: string, end: RunEnd, also?: AlsoWritten): Promise<RunState> {
  return await op.write(async (tx) => {
    const [run] = await tx.q
      .selectFrom('distill_runs')
      .select(['state', 'manifest', 'step_count as stepCount'])
      .where('id', '=', runId)
      .where('tenant_id', '=', op.tenantId)
      .forUpdate()
      .execute()
    if (run === undefined) throw KERNEL_ERRORS.not_found('no such run')
    if (isOver(run.state)) return run.state
    const { state, error, kScore, manifest } = end
    await tx.q
      .updateTable('distill_runs')
      .set({
        state,
        ...(state === 'completed' && { stage: 'done' }),
        ...(manifest !== undefined && { manifest: json<JsonObject>({ ...run.manifest, ...manifest }) }),
        ...(typeof kScore === 'number' && { k_final: kScore }),
        error_code: error?.code ?? null,
        error_message: error?.message ?? null,
        finished_at: op.now(),
      })
      .where('id', '=', runId)
      .execute()
    await tx.q.deleteFrom('distill_samples').where('run_id', '=', runId).where('tenant_id', '=', op.tenantId).execute()
    const body = { state, ...(error !== undefined && { error_code: error.code, error: error.message }) }
    const measured =
      typeof kScore === 'number'
        ? [{ kind: 'progress', body: { step: run.stepCount, k_score: kScore, attempt: 1 } } as const]
        : []
    await appendRunEvents(tx, runId, [...measured, { kind: 'end', body }], op.now())
    await recordAudit(tx, op, {
      action: ACTIONS[state],
      target: runId,
      payload: { run_id: runId, ...(error !== undefined && { error: error.code }) },
    })
    await also?.(tx)
    return state
  })
}

/** Cancels a run at once. Repeating it is harmless. Throws `not_found`, and `already_finished` for one with another end. */
export async function cancelRun(op: Operation, runId: string, also?: AlsoWritten): Promise<void> {
  const error = { code: 'compile_cancelled', message: 'the run was cancelled' } as const
  const state = await finishRun(op, runId, { state: 'cancelled', error }, also)
  if (state === 'cancelled') return
  throw COMPILE_ERRORS.already_finished(`the run is ${state} already`, { details: { status: state } })
}
