import type { Database } from '../../kernel/database.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { computeDayOf } from './compute-day.ts'

/** How a job ends whose units go back. */
const UNPAID = `('gated', 'failed', 'cancelled')`

/**
 * Adds compute time to a job, milliseconds. Time that arrives after the job ended without an artifact, as from a stage
 * that was still stopping, is added to the tenant's day.
 */
export async function recordCompute(
  db: Database,
  input: { readonly jobId: string; readonly ms: number; readonly now: Date },
): Promise<void> {
  const ms = Math.round(input.ms)
  if (ms <= 0) return
  await db.query(
    `with job as (
       update compile_jobs set compute_ms = compute_ms + $2 where id = $1 returning tenant_id, status
     )
     insert into unpaid_compute as u (tenant_id, day, used_ms)
     select tenant_id, $3, $2 from job where status in ${UNPAID}
     on conflict (tenant_id, day) do update set used_ms = u.used_ms + excluded.used_ms`,
    [input.jobId, ms, computeDayOf(input.now)],
  )
}

/** Counts the compute time of a job that ended without an artifact. Runs in the transaction that ends it. */
export async function settleUnpaidCompute(
  tx: Transaction,
  input: { readonly jobId: string; readonly now: Date },
): Promise<void> {
  await tx.query(
    `insert into unpaid_compute as u (tenant_id, day, used_ms)
     select tenant_id, $2, compute_ms from compile_jobs where id = $1 and status in ${UNPAID} and compute_ms > 0
     on conflict (tenant_id, day) do update set used_ms = u.used_ms + excluded.used_ms`,
    [input.jobId, computeDayOf(input.now)],
  )
}

/** Removes the days before `before` (`YYYY-MM-DD`). Answers how many rows it removed. */
export async function collectUnpaidCompute(db: Database, before: Date): Promise<number> {
  const removed = await db.query('delete from unpaid_compute where day < $1 returning 1', [computeDayOf(before)])
  return removed.length
}
