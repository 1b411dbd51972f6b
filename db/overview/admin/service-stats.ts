import type { JobStatus } from '../../../core/compile/task.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import type { Operation } from '../../kernel/operation.ts'
import { periodOf } from '../../billing/quota/period.ts'
import { quotaOf } from '../../../core/kernel/tenant/quota-of.ts'

/** How many there are, and how many came within a span. */
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
  readonly kind: 'user' | 'anonymous'
  readonly quota: number | null
  readonly count: number
}

/** Totals over all tenants that are not deleted. */
export async function serviceStats(op: Operation, limits: Limits): Promise<ServiceStats> {
  const now = op.now()
  const period = periodOf(now)
  const [tenants, compiles, audit, terms, statuses, used] = await Promise.all([
    recent(op, `tenants where deleted_at is null and kind <> 'operator'`, 'created_at'),
    recent(op, 'compile_jobs', 'created_at'),
    recent(op, 'audit_entries', 'at'),
    op.db.query<Terms>(
      `select plan, kind, quota_override as quota, count(*) as count from tenants
       where deleted_at is null and kind <> 'operator' group by plan, kind, quota_override`,
    ),
    op.db.query<{ status: JobStatus; count: number }>(
      'select status, count(*) as count from compile_jobs group by status',
    ),
    op.db.query<{ used: number }>(
      `select (coalesce((select sum(used_units) from quota_periods where period = $1), 0)
         - coalesce((select sum(granted_units - spent_units) from quota_leases where period = $1), 0))::bigint as used`,
      [period],
    ),
  ])
  return {
    tenants: {
      ...tenants,
      byPlan: planCounts(terms),
      anonymous: sum(terms.filter(({ kind }) => kind === 'anonymous').map(({ count }) => count)),
    },
    usage: {
      period,
      used: Math.max(used[0]?.used ?? 0, 0),
      quota: sum(terms.map(({ plan, quota, count }) => quotaOf({ plan, quota }, limits) * count)),
    },
    compiles: { ...compiles, byStatus: Object.fromEntries(statuses.map(({ status, count }) => [status, count])) },
    audit,
  }
}

/** `from` and `column` are ours and never a caller's. */
async function recent(op: Operation, from: string, column: 'created_at' | 'at'): Promise<Recent> {
  const [row] = await op.db.query<Recent>(
    `select count(*) as total, count(*) filter (where ${column} >= $1) as "last24h",
       count(*) filter (where ${column} >= $2) as "last7d", count(*) filter (where ${column} >= $3) as "last30d"
     from ${from}`,
    [1, 7, 30].map((days) => new Date(op.now().getTime() - days * 86_400_000)),
  )
  return row ?? { total: 0, last24h: 0, last7d: 0, last30d: 0 }
}

function planCounts(terms: readonly Terms[]): Readonly<Record<PlanId, number>> {
  const counts: Record<PlanId, number> = { free: 0, starter: 0, pro: 0, teams: 0, business: 0, enterprise: 0 }
  for (const id of PLAN_IDS) counts[id] = sum(terms.filter(({ plan }) => plan === id).map(({ count }) => count))
  return counts
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
