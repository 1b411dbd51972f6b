import { sql, type RawBuilder } from 'kysely'
import { auditDaysOf } from '../../../../core/kernel/tenant/audit-days.ts'
import type { Limits } from '../../../../core/ledger/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'

const DAY_MS = 86_400_000

/** A plan, and the time before which what was written under it may go. */
export type Cutoff = readonly [plan: PlanId, before: Date]

/** The cutoffs of all plans at a time. */
export function cutoffsAt(now: Date, limits: Limits): readonly Cutoff[] {
  return PLAN_IDS.map((plan) => [plan, new Date(now.getTime() - auditDaysOf(plan, limits) * DAY_MS)])
}

/**
 * The plan whose days the lines of a tenant are kept for, of a row of `tenants` by its alias. Those who run the service
 * keep theirs as long as any plan does.
 */
export function keptPlanOf(row: string): RawBuilder<PlanId> {
  const column = (name: string) => sql.ref(`${row}.${name}`)
  return sql<PlanId>`case ${column('kind')} when 'operator' then 'enterprise' else ${column('plan')} end`
}

/** The cutoffs as a table with a row for each plan. */
export function cutoffTable(cutoffs: readonly Cutoff[]) {
  return unnest('cutoff', {
    plan: list(
      'text',
      cutoffs.map(([plan]) => plan),
    ),
    before: list(
      'timestamptz',
      cutoffs.map(([, before]) => before),
    ),
  })
}
