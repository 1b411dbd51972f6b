import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { MeterRow } from './meter-row.ts'

/** Shortest time of a row, milliseconds: heartbeats that come faster share one. */
const LEAST_MS = 1000

/** The part of a lease that its meter follows. */
export interface MeteredLease {
  readonly id: string
  readonly jobId: string
  readonly orderedAt: Date
  readonly meteredAt: Date | null
  readonly rateUsdMicros: number
}

/** Records that a machine took a fit: no time has passed yet. */
export async function meterReservation(tx: Transaction, op: Operation, lease: MeteredLease): Promise<void> {
  await insertRow(tx, op, { lease, kind: 'training_reservation', gpuMs: 0 })
}

/**
 * Records the time of a machine since its last row, by the service's clock, where its fit is metered. The caller holds the
 * lease's row. Time below a second waits for the next heartbeat, or for the last one (`isLast`).
 */
export async function meterTime(
  tx: Transaction,
  op: Operation,
  { isLast, ...lease }: MeteredLease & { readonly isLast: boolean },
): Promise<void> {
  const now = op.now()
  const gpuMs = now.getTime() - (lease.meteredAt ?? lease.orderedAt).getTime()
  if (gpuMs < (isLast ? 1 : LEAST_MS)) return
  if (!(await isMetered(tx, op, lease.jobId))) return
  await insertRow(tx, op, { lease, kind: 'training_run', gpuMs })
  await tx.q
    .updateTable('rental_leases')
    .set({ metered_at: now })
    .where('id', '=', lease.id)
    .where('tenant_id', '=', op.tenantId)
    .execute()
}

async function isMetered(tx: Transaction, { tenantId }: Operation, jobId: string): Promise<boolean> {
  const [rental] = await tx.q
    .selectFrom('rentals')
    .select('gpu_sku as gpuSku')
    .where('job_id', '=', jobId)
    .where('tenant_id', '=', tenantId)
    .execute()
  return typeof rental?.gpuSku === 'string'
}

async function insertRow(
  tx: Transaction,
  op: Operation,
  row: { readonly lease: MeteredLease; readonly kind: MeterRow['kind']; readonly gpuMs: number },
): Promise<void> {
  const { lease, kind, gpuMs } = row
  const [last] = await tx.q
    .selectFrom('training_meter')
    .select(sql<number>`coalesce(max(number), 0)::integer`.as('number'))
    .where('job_id', '=', lease.jobId)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  await tx.q
    .insertInto('training_meter')
    .values({
      job_id: lease.jobId,
      number: (last?.number ?? 0) + 1,
      tenant_id: op.tenantId,
      lease_id: lease.id,
      kind,
      gpu_ms: gpuMs,
      rate_usd_micros: lease.rateUsdMicros,
      at: op.now(),
    })
    .execute()
}
