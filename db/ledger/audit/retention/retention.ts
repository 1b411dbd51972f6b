import { auditDaysOf } from '../../../../core/kernel/tenant/audit-days.ts'
import type { Limits } from '../../../../core/kernel/limits.ts'
import { PLAN_IDS, type PlanId } from '../../../../core/kernel/tenant/plans.ts'

const DAY_MS = 86_400_000

/** A plan, and the time before which what was written under it may go. */
export type Cutoff = readonly [plan: PlanId, before: Date]

/** The cutoffs of all plans at a time. */
export function cutoffsAt(now: Date, limits: Limits): readonly Cutoff[] {
  return PLAN_IDS.map((plan) => [plan, new Date(now.getTime() - auditDaysOf(plan, limits) * DAY_MS)])
}

/**
 * SQL: the plan whose days the lines of a tenant are kept for, of a row of `tenants`. Those who run the service keep
 * theirs as long as any plan does.
 */
export function keptPlanOf(row: string): string {
  return `case ${row}.kind when 'operator' then 'enterprise' else ${row}.plan end`
}

/** SQL: the cutoffs as rows `(plan, before)`, bound as two lists from this parameter on. */
export function cutoffRows(parameter: number): string {
  return `unnest($${parameter}::text[], $${parameter + 1}::timestamptz[]) as cutoff (plan, before)`
}

/** What `cutoffRows` binds. */
export function cutoffValues(cutoffs: readonly Cutoff[]): readonly [readonly PlanId[], readonly Date[]] {
  return [cutoffs.map(([plan]) => plan), cutoffs.map(([, before]) => before)]
}
