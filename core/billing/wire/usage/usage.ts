import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'

const Amounts = z.record(z.string(), z.number())

/** Answer of `GET /v1/billing/usage`. */
export const GetUsageAnswer = z.object({
  tenant_id: z.string(),
  plan: Plan,
  tier: Plan,
  period: z.string(),
  meters: Amounts.meta({
    description: 'By meter. A past month lacks the meters that measure a current amount',
  }),
  limits: Amounts,
  soft_limits: Amounts,
  over_soft: z.array(z.string()),
  over_hard: z.array(z.string()),
  quota: z.int().meta({ description: 'Units per calendar month' }),
  used: z.int().meta({ description: 'Units taken from the quota in that month' }),
  resets_at: z.iso.datetime().meta({ description: 'When the running month ends' }),
  days: z.array(z.object({ day: z.iso.date(), used: z.int() })),
})
