import { sql } from 'kysely'
import { Compile } from '../../../../core/compile/workflows.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { requestStart } from '../../../kernel/outbox/request-start.ts'
import { inAllNamespaces, type Transaction } from '../../../kernel/transaction.ts'

/** Returns the number of running jobs allowed per tenant. */
export function runningLimit(plan: PlanId, limits: Limits): number {
  return limits[`running_jobs_${plan}`]
}

interface Admission {
  readonly tenantId: string
  readonly limits: Limits
  readonly now: Date
}

/**
 * Admits the longest waiting jobs of a tenant, as many as its limit has room for, requests their workflows and returns
 * their ids. A lock per tenant makes concurrent admissions count one after another.
 */
export async function admitInTransaction(tx: Transaction, input: Admission): Promise<readonly string[]> {
  return await inAllNamespaces(tx, 'the running limit is per tenant', async () => await admit(tx, input))
}

async function admit(tx: Transaction, { tenantId, limits, now }: Admission): Promise<readonly string[]> {
  const tenant = await tx.q
    .selectFrom('tenants')
    .select(['plan', sql<void>`pg_advisory_xact_lock(hashtextextended(${`admission ${tenantId}`}, 0))`.as('locked')])
    .where('id', '=', tenantId)
    .executeTakeFirst()
  if (tenant === undefined) return []
  // A separate statement: only one that begins after the lock is held sees the commit of its last holder.
  const count = await tx.q
    .selectFrom('compile_jobs')
    .select(tx.q.fn.countAll<number>().as('running'))
    .where('tenant_id', '=', tenantId)
    .where('admitted_at', 'is not', null)
    .where('finished_at', 'is', null)
    .executeTakeFirst()
  const places = runningLimit(tenant.plan, limits) - (count?.running ?? 0)
  if (places <= 0) return []
  const admitted = await tx.q
    .with('next', (q) =>
      q
        .selectFrom('compile_jobs')
        .select('id')
        .where('tenant_id', '=', tenantId)
        .where('admitted_at', 'is', null)
        .where('finished_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(sql<number>`${places}::bigint`)
        .forUpdate()
        .skipLocked(),
    )
    .with('admitted', (q) =>
      q
        .updateTable('compile_jobs as j')
        .from('next')
        .set({ admitted_at: now })
        .whereRef('j.id', '=', 'next.id')
        .returning(['j.id', 'j.created_at', 'j.row_count', 'j.k_score_floor', 'j.base_model']),
    )
    .selectFrom('admitted')
    .select(['id as jobId', 'row_count as rows', 'k_score_floor as kScoreFloor', 'base_model as baseModel'])
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  for (const job of admitted) await requestStart(tx, Compile, { ...job, tenantId })
  return admitted.map(({ jobId }) => jobId)
}
