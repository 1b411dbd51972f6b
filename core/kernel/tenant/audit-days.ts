import type { Limits } from '../limits.ts'
import type { PlanId } from './plans.ts'

/** Days for which a plan keeps the lines of the audit ledger. */
export function auditDaysOf(plan: PlanId, limits: Limits): number {
  return limits[`audit_days_${plan}`]
}
