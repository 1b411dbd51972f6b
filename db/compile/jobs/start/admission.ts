import { Compile } from '../../../../core/compile/workflows.ts'
import type { InputOf } from '../../../../core/kernel/workflows/define-workflow.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Database } from '../../../kernel/database.ts'
import { requestStart } from '../../../kernel/outbox/request-start.ts'
import { inTransaction, type Transaction } from '../../../kernel/transaction.ts'

/** How many jobs of one tenant may be under way at once. */
export function runningLimit(plan: PlanId, limits: Limits): number {
  return limits[`running_jobs_${plan}`]
}

/**
 * Lets the longest waiting jobs of a tenant in, as many as its limit leaves room for, requests their workflows and answers
 * their ids. A lock per tenant makes two admissions count one after the other.
 */
export async function admitInTransaction(
  tx: Transaction,
  input: { readonly tenantId: string; readonly limits: Limits; readonly now: Date },
): Promise<readonly string[]> {
  const { tenantId, limits, now } = input
  const [tenant] = await tx.query<{ plan: PlanId }>(
    'select plan, pg_advisory_xact_lock(hashtextextended($2, 0)) from tenants where id = $1',
    [tenantId, `admission ${tenantId}`],
  )
  if (tenant === undefined) return []
  // A statement of its own: only one that begins after the lock was got sees what its last holder committed.
  const [count] = await tx.query<{ running: number }>(
    `select count(*) as running from compile_jobs
     where tenant_id = $1 and admitted_at is not null and finished_at is null`,
    [tenantId],
  )
  const places = runningLimit(tenant.plan, limits) - (count?.running ?? 0)
  if (places <= 0) return []
  const admitted = await tx.query<Omit<InputOf<typeof Compile>, 'tenantId'>>(
    `with next as (
       select id from compile_jobs
       where tenant_id = $1 and admitted_at is null and finished_at is null
       order by created_at, id limit $2::bigint
       for update skip locked
     ), admitted as (
       update compile_jobs j set admitted_at = $3 from next where j.id = next.id
       returning j.id, j.created_at, j.row_count, j.k_score_floor, j.base_model
     )
     select id as "jobId", row_count as rows, k_score_floor as "kScoreFloor", base_model as "baseModel"
     from admitted order by created_at, id`,
    [tenantId, places, now],
  )
  for (const job of admitted) await requestStart(tx, Compile, { ...job, tenantId })
  return admitted.map(({ jobId }) => jobId)
}

/** Lets a tenant's next waiting jobs in and answers their ids. */
export async function admitNext(
  db: Database,
  input: { readonly tenantId: string; readonly limits: Limits; readonly now: Date },
): Promise<readonly string[]> {
  return await inTransaction(db, null, async (tx) => await admitInTransaction(tx, input))
}

/**
 * Lets in what waits although there is room, for up to `batch` tenants: nothing waits for ever because a process died
 * at the wrong moment, or because a limit was raised. Answers the ids.
 */
export async function admitWaiting(
  db: Database,
  input: { readonly limits: Limits; readonly batch: number; readonly now: Date },
): Promise<readonly string[]> {
  const tenants = await db.query<{ tenant_id: string }>(
    // A loose scan: one index probe per tenant that has waiting jobs, however many jobs each of them has.
    `with recursive waiting as (
       (select tenant_id from compile_jobs where admitted_at is null and finished_at is null order by tenant_id limit 1)
       union all
       select (
         select j.tenant_id from compile_jobs j
         where j.admitted_at is null and j.finished_at is null and j.tenant_id > waiting.tenant_id
         order by j.tenant_id limit 1
       ) from waiting where waiting.tenant_id is not null
     )
     select t.id as tenant_id
     from waiting join tenants t on t.id = waiting.tenant_id
     join unnest($1::text[], $2::integer[]) as l(plan, running) on l.plan = t.plan
     where l.running > (
       select count(*) from compile_jobs j
       where j.tenant_id = t.id and j.admitted_at is not null and j.finished_at is null
     )
     limit $3`,
    [PLAN_IDS, PLAN_IDS.map((plan) => runningLimit(plan, input.limits)), input.batch],
  )
  const admitted: string[] = []
  for (const { tenant_id: tenantId } of tenants) {
    admitted.push(...(await admitNext(db, { tenantId, limits: input.limits, now: input.now })))
  }
  return admitted
}
