import { sql, type RawBuilder } from 'kysely'
import { auditDaysOf } from '../../../../core/kernel/tenant/audit-days.ts'
import type { Limits } from '../../../../core/ledger/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'

const DAY_MS = 86_400_000

/** A plan, and the time before which entries written under it may be removed. */
export type Cutoff = readonly [plan: PlanId, before: Date]

/** Returns the cutoffs of all plans at a time. */
export function cutoffsAt(now: Date, limits: Limits): readonly Cutoff[] {
  return PLAN_IDS.map((plan) => [plan, new Date(now.getTime() - auditDaysOf(plan, limits) * DAY_MS)])
}

/**
 * Returns SQL for the plan whose retention a tenant's lines have, of a row of `tenants` by its alias. The operator's
 * lines have the longest retention of any plan.
 */
export function keptPlanOf(row: string): RawBuilder<PlanId> {
  const column = (name: string) => sql.ref(`${row}.${name}`)
  return sql<PlanId>`case ${column('kind')} when 'operator' then 'enterprise' else ${column('plan')} end`
}

/** Returns the cutoffs as a table with a row for each plan. */
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
