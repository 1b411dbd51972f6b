import type { ErrorCode } from '../../../core/learn/errors.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { CloudJob } from './cloud-job.ts'

/** A cloud job for its workflow, with the plan that its tenant has now. */
export interface WaitingCloudJob extends Pick<
  CloudJob,
  | 'namespace'
  | 'captureFrom'
  | 'lane'
  | 'gpuSku'
  | 'vramTier'
  | 'baseModel'
  | 'choices'
  | 'chargedTo'
  | 'runId'
  | 'createdAt'
> {
  readonly plan: PlanId
  /** True when its distillation exists: an earlier attempt made it. */
  readonly isStarted: boolean
  /** True when it was cancelled while its distillation was made, which is then to be cancelled too. */
  readonly isCancelled: boolean
}

/** Returns a cloud job that waits, or whose distillation outlived a cancellation; null for any other. Throws `not_found`. */
export async function waitingCloudJob(op: Operation, id: string): Promise<WaitingCloudJob | null> {
  const [job] = await op.read((q) =>
    q
      .selectFrom('cloud_jobs as c')
      .innerJoin('tenants as t', 't.id', 'c.tenant_id')
      .leftJoin('distill_runs as r', 'r.id', 'c.run_id')
      .select([
        'c.namespace',
        'c.capture_from as captureFrom',
        'c.lane',
        'c.gpu_sku as gpuSku',
        'c.vram_tier as vramTier',
        'c.base_model as baseModel',
        'c.choices',
        'c.charged_to as chargedTo',
        'c.run_id as runId',
        'c.created_at as createdAt',
        'c.settled_at as settledAt',
        'c.cancelled_at as cancelledAt',
        't.plan',
        'r.id as startedRunId',
      ])
      .where('c.id', '=', id)
      .where('c.tenant_id', '=', op.tenantId),
  )
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such cloud job')
  const { settledAt, cancelledAt, startedRunId, ...waiting } = job
  const isStarted = startedRunId !== null
  const isCancelled = cancelledAt !== null && isStarted
  return settledAt === null || isCancelled ? { ...waiting, isStarted, isCancelled } : null
}

/** Records that the distillation of a cloud job exists. Returns true when the job was cancelled meanwhile. */
export async function settleCloudJob(op: Operation, id: string): Promise<{ readonly isCancelled: boolean }> {
  return await op.write(async (tx) => {
    const [job] = await tx.q
      .updateTable('cloud_jobs')
      .set((of) => ({ settled_at: of.fn.coalesce('settled_at', of.val(op.now())) }))
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .returning('cancelled_at as cancelledAt')
      .execute()
    return { isCancelled: job?.cancelledAt instanceof Date }
  })
}

/** Ends a cloud job that could not begin. A no-op for one that is settled. */
export async function failCloudJob(
  op: Operation,
  id: string,
  failure: { readonly errorCode: ErrorCode; readonly message: string },
): Promise<void> {
  await op.write(async (tx) => {
    const failed = await tx.q
      .updateTable('cloud_jobs')
      .set({ error_code: failure.errorCode, error_message: failure.message, settled_at: op.now() })
      .where('id', '=', id)
      .where('tenant_id', '=', op.tenantId)
      .where('settled_at', 'is', null)
      .returning('id')
      .execute()
    if (failed.length === 0) return
    await recordAudit(tx, op, {
      action: 'cloud_job.failed',
      target: id,
      payload: { job_id: id, error_code: failure.errorCode },
    })
  })
}
