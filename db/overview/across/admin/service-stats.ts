import { sql, type RawBuilder } from 'kysely'
import type { JobStatus } from '../../../../core/compile/rows/task.ts'
import type { Limits } from '../../../../core/overview/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { periodOf } from '../../../billing/quota/period.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { TenantKind } from '../../../../core/kernel/tenant/tenant-kinds.ts'
import { quotaOf } from '../../../../core/kernel/tenant/quota-of.ts'

/** Total number, and the number within a span. */
export interface Recent {
  readonly total: number
  readonly last24h: number
  readonly last7d: number
  readonly last30d: number
}

/** Totals over all tenants. */
export interface ServiceStats {
  readonly tenants: Recent & { readonly byPlan: Readonly<Record<PlanId, number>>; readonly anonymous: number }
  readonly usage: { readonly period: string; readonly used: number; readonly quota: number }
  readonly compiles: Recent & { readonly byStatus: Readonly<Partial<Record<JobStatus, number>>> }
  readonly audit: Recent
}

interface Terms {
  readonly plan: PlanId
  readonly kind: TenantKind
  readonly quota: number | null
  readonly count: number
}

/** Totals over all tenants that are not deleted. */
export async function serviceStats(op: Operation, limits: Limits): Promise<ServiceStats> {
  const now = op.now()
  const period = periodOf(now)
  const [tenants, compiles, audit, terms, statuses, [units]] = await service.read(
    op.db,
    'totals over all tenants',
    (q) => [
      q.selectFrom('tenants').select(recent('created_at', now)).where(IS_CUSTOMER),
      q.selectFrom('compile_jobs').select(recent('created_at', now)),
      q.selectFrom('audit_entries').select(recent('at', now)),
      q
        .selectFrom('tenants')
        .select(['plan', 'kind', 'quota_override as quota', q.fn.countAll<number>().as('count')])
        .where(IS_CUSTOMER)
        .groupBy(['plan', 'kind', 'quota_override']),
      q
        .selectFrom('compile_jobs')
        .select(['status', q.fn.countAll<number>().as('count')])
        .groupBy('status'),
      q.selectNoFrom([
        q
          .selectFrom('quota_periods')
          .select(sql<number>`coalesce(sum(used_units), 0)::bigint`.as('taken'))
          .where('period', '=', period)
          .$asScalar()
          .$notNull()
          .as('taken'),
        q
          .selectFrom('quota_leases')
          .select(sql<number>`coalesce(sum(granted_units - spent_units), 0)::bigint`.as('leased'))
          .where('period', '=', period)
          .$asScalar()
          .$notNull()
          .as('leased'),
      ]),
    ],
  )
  return {
    tenants: {
      ...(tenants[0] ?? NONE),
      byPlan: planCounts(terms),
      anonymous: sum(terms.filter(({ kind }) => kind === 'anonymous').map(({ count }) => count)),
    },
    usage: {
      period,
      used: units === undefined ? 0 : Math.max(units.taken - units.leased, 0),
      quota: sum(terms.map(({ plan, quota, count }) => quotaOf({ plan, quota }, limits) * count)),
    },
    compiles: {
      ...(compiles[0] ?? NONE),
      byStatus: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
    },
    audit: audit[0] ?? NONE,
  }
}

const IS_CUSTOMER = sql<boolean>`deleted_at is null and kind <> 'operator'`

/** Selects the counts of rows by their age. */
function recent(column: 'created_at' | 'at', now: Date) {
  const since = (days: number): RawBuilder<number> =>
    sql<number>`count(*) filter (where ${sql.ref(column)} >= ${new Date(now.getTime() - days * 86_400_000)})`
  return [
    sql<number>`count(*)`.as('total'),
    since(1).as('last24h'),
    since(7).as('last7d'),
    since(30).as('last30d'),
  ] as const
}

const NONE: Recent = { total: 0, last24h: 0, last7d: 0, last30d: 0 }

function planCounts(terms: readonly Terms[]): Readonly<Record<PlanId, number>> {
  const counts: Record<PlanId, number> = { free: 0, starter: 0, pro: 0, teams: 0, business: 0, enterprise: 0 }
  for (const id of PLAN_IDS) counts[id] = sum(terms.filter(({ plan }) => plan === id).map(({ count }) => count))
  return counts
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
