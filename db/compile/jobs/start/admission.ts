import { sql } from 'kysely'
import { Compile } from '../../../../core/compile/workflows.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { prepared } from '../../../kernel/queries/compiled.ts'
import { countRows } from '../../../kernel/queries/count-rows.ts'
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

const lockAdmission = prepared((q, { lock }: { readonly lock: string }) =>
  q.selectNoFrom(sql<void>`pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.as('locked')),
)

/** The running limits of the plans as a JSON text, since only the statement reads the tenant's plan. */
interface AdmittedRows {
  readonly tenantId: string
  readonly limits: string
  readonly now: Date
}

const admitWaiting = prepared((q, row: AdmittedRows) =>
  q
    .with('room', (of) =>
      of
        .selectFrom('tenants as t')
        .select((each) => {
          const running = each
            .selectFrom('compile_jobs')
            .whereRef('tenant_id', '=', 't.id')
            .where('admitted_at', 'is not', null)
            .where('finished_at', 'is', null)
          return sql<number>`(${row.limits}::json ->> t.plan)::bigint - ${countRows(running)}`.as('places')
        })
        .where('t.id', '=', row.tenantId),
    )
    .with('next', (of) =>
      of
        .selectFrom('compile_jobs')
        .select('id')
        .where('tenant_id', '=', row.tenantId)
        .where('admitted_at', 'is', null)
        .where('finished_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .limit(sql<number>`coalesce(${of.selectFrom('room').select(sql<number>`greatest(places, 0)`.as('places'))}, 0)`)
        .forUpdate()
        .skipLocked(),
    )
    .with('admitted', (of) =>
      of
        .updateTable('compile_jobs as j')
        .from('next')
        .set({ admitted_at: row.now })
        .whereRef('j.id', '=', 'next.id')
        .returning(['j.id', 'j.created_at', 'j.row_count', 'j.k_score_floor', 'j.base_model']),
    )
    .selectFrom('admitted')
    .select(['id as jobId', 'row_count as rows', 'k_score_floor as kScoreFloor', 'base_model as baseModel'])
    .orderBy('created_at')
    .orderBy('id'),
)

async function admit(tx: Transaction, { tenantId, limits, now }: Admission): Promise<readonly string[]> {
  // A separate statement: only one that begins after the lock is held sees the commit of its last holder.
  tx.post(lockAdmission({ lock: `admission ${tenantId}` }))
  const byPlan = Object.fromEntries(PLAN_IDS.map((plan) => [plan, runningLimit(plan, limits)]))
  const admitted = await tx.send(admitWaiting({ tenantId, limits: JSON.stringify(byPlan), now }))
  for (const job of admitted) await requestStart(tx, Compile, { ...job, tenantId })
  return admitted.map(({ jobId }) => jobId)
}
