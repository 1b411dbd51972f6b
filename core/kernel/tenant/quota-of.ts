import type { Limits } from '../limits.ts'
import type { PlanId } from './plans.ts'

/** Inputs of a tenant's quota. */
export interface QuotaTerms {
  readonly plan: PlanId
  /** Units per month in place of the plan's; null without an override. */
  readonly quota: number | null
}

/** Units per calendar month: the tenant's own number, or its plan's. */
export function quotaOf({ plan, quota }: QuotaTerms, limits: Limits): number {
  return quota ?? limits[`quota_${plan}`]
}
