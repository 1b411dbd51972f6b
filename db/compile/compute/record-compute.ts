import { sql } from 'kysely'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { computeDayOf } from './compute-day.ts'

/** The end of a job whose units are returned. */
const UNPAID = ['gated', 'failed', 'cancelled'] as const

const ADD_TO_DAY = { used_ms: sql<number>`unpaid_compute.used_ms + excluded.used_ms` }

/** Compute time of a job; `day` is the day of now. */
interface JobCompute {
  readonly jobId: string
  readonly day: string
  readonly ms: number
}

const addCompute = prepared((q, row: JobCompute) =>
  q
    .with('job', (of) =>
      of
        .updateTable('compile_jobs')
        .set((set) => ({ compute_ms: set('compute_ms', '+', row.ms) }))
        .where('id', '=', row.jobId)
        .returning(['tenant_id', 'status']),
    )
    .insertInto('unpaid_compute')
    .columns(['tenant_id', 'day', 'used_ms'])
    .expression((of) =>
      of
        .selectFrom('job')
        .select(['tenant_id', sql<string>`${row.day}::text`.as('day'), sql<number>`${row.ms}::bigint`.as('ms')])
        .where('status', 'in', UNPAID),
    )
    .onConflict((on) => on.columns(['tenant_id', 'day']).doUpdateSet(ADD_TO_DAY)),
)

/**
 * Adds compute time to a job, milliseconds. Time that arrives after the job ended without an artifact, as from a stage
 * that was still stopping, is added to the tenant's day.
 */
export async function recordCompute(
  op: TenantAccess,
  input: { readonly jobId: string; readonly ms: number; readonly now: Date },
): Promise<void> {
  const ms = Math.round(input.ms)
  if (ms <= 0) return
  await op.write(async (tx) => {
    tx.post(addCompute({ jobId: input.jobId, day: computeDayOf(input.now), ms }))
  })
}

/** Adds compute time of work that costs no units to the tenant's day, milliseconds. */
export async function recordUnpaidCompute(
  op: TenantAccess,
  input: { readonly ms: number; readonly now: Date },
): Promise<void> {
  const ms = Math.round(input.ms)
  if (ms <= 0) return
  await op.write(
    async (tx) =>
      await tx.q
        .insertInto('unpaid_compute')
        .values({ tenant_id: op.tenantId, day: computeDayOf(input.now), used_ms: ms })
        .onConflict((on) => on.columns(['tenant_id', 'day']).doUpdateSet(ADD_TO_DAY))
        .execute(),
  )
}

/** Counts the compute time of a job that ended without an artifact. Runs in the transaction that ends it. */
export async function settleUnpaidCompute(
  tx: Transaction,
  input: { readonly jobId: string; readonly now: Date },
): Promise<void> {
  await tx.q
    .insertInto('unpaid_compute')
    .columns(['tenant_id', 'day', 'used_ms'])
    .expression((q) =>
      q
        .selectFrom('compile_jobs')
        .select((of) => ['tenant_id', of.val(computeDayOf(input.now)).as('day'), 'compute_ms'])
        .where('id', '=', input.jobId)
        .where('status', 'in', UNPAID)
        .where('compute_ms', '>', 0),
    )
    .onConflict((on) => on.columns(['tenant_id', 'day']).doUpdateSet(ADD_TO_DAY))
    .execute()
}

/**
 * Takes the compute time of a gated job, which is paid after all, out of the day that it was counted on. Runs before the
 * job's row changes.
 */
export async function returnUnpaidCompute(tx: Transaction, jobId: string): Promise<void> {
  await tx.q
    .updateTable('unpaid_compute')
    .from('compile_jobs as j')
    .set({ used_ms: sql<number>`greatest(0, unpaid_compute.used_ms - j.compute_ms)` })
    .where('j.id', '=', jobId)
    .whereRef('unpaid_compute.tenant_id', '=', 'j.tenant_id')
    .where('unpaid_compute.day', '=', sql<string>`to_char(j.finished_at at time zone 'UTC', 'YYYY-MM-DD')`)
    .execute()
}
