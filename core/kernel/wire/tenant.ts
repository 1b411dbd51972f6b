import { z } from 'zod'
import { PLAN_IDS } from '../tenant/plans.ts'

/** The id of a plan. */
export const Plan = z.enum(PLAN_IDS).meta({ id: 'Plan', description: 'Id of a plan' })

/** A tenant as its owner sees it. */
export const TenantView = z
  .object({
    id: z.string(),
    name: z.string(),
    plan: Plan,
    quota: z.int().meta({ description: 'Units per calendar month' }),
    seats: z.int(),
    trial_ends_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Tenant' })
