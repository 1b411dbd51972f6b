import type { PlanId } from '../../../kernel/tenant/plans.ts'
import type { Limits } from '../../limits.ts'

/** Returns the largest budget of a rental on the operator's key, US dollars; 0 where a plan has none. */
export function operatorBudgetUsd(plan: PlanId, limits: Limits): number {
  return limits[`rental_usd_${plan}`]
}
