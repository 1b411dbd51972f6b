import { sql } from 'kysely'
import { costOfMs } from '../../../../core/compile/stages/rentals/cost.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'

/**
 * Ends the leases of a job, or of a pool, that are in force, each with the cost of its metered time: time after the last
 * heartbeat costs nothing. Safe to repeat.
 */
export async function endPoolLeases(
  tx: Transaction,
  op: Operation,
  of: { readonly jobId: string } | { readonly poolId: string },
): Promise<void> {
  const { tenantId } = op
  const leases = await tx.q
    .selectFrom('rental_leases')
    .select(['id', 'job_id as jobId', 'rate_usd_micros as rateUsdMicros'])
    .where('tenant_id', '=', tenantId)
    .where('jobId' in of ? 'job_id' : 'machine_id', '=', 'jobId' in of ? of.jobId : of.poolId)
    .where('ended_at', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id, jobId, rateUsdMicros } of leases) {
    const [metered] = await tx.q
      .selectFrom('training_meter')
      .select(sql<number>`coalesce(sum(gpu_ms), 0)::float8`.as('gpuMs'))
      .where('job_id', '=', jobId)
      .where('lease_id', '=', id)
      .where('tenant_id', '=', tenantId)
      .execute()
    const cost = costOfMs(metered?.gpuMs ?? 0, rateUsdMicros)
    await tx.q
      .updateTable('rental_leases')
      .set({ ended_at: op.now(), cost_usd_micros: cost })
      .where('id', '=', id)
      .where('tenant_id', '=', tenantId)
      .execute()
    await tx.q
      .updateTable('rentals')
      .set({ cost_usd_micros: sql<number>`cost_usd_micros + ${cost}` })
      .where('job_id', '=', jobId)
      .where('tenant_id', '=', tenantId)
      .execute()
    await recordAudit(tx, op, {
      action: 'pool.lease_ended',
      target: jobId,
      payload: { job_id: jobId, lease_id: id, cost_usd_micros: cost },
    })
  }
}
