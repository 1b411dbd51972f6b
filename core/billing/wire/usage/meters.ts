import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'

/** A meter of the usage. */
export const MeterView = z
  .object({
    id: z.string(),
    label: z.string(),
    unit: z.string(),
    category: z.string(),
    billable: z.boolean().meta({ description: 'True for a meter that plans are priced by' }),
    counts: z.enum(['period', 'now', 'none']).meta({
      description: '`period`: added up over a month. `now`: the current amount. `none`: not measured yet, always 0',
    }),
    tier_soft: z.number().optional().meta({ description: 'The amount at which a warning is sent' }),
    tier_hard: z.number().optional().meta({ description: 'The plan’s cap; absent without one' }),
  })
  .meta({ id: 'Meter' })

/** Answer of `GET /v1/billing/meters`. */
export const ListMetersAnswer = z.object({
  total: z.int(),
  meters: z.array(MeterView),
  tier: Plan,
  billing_units: z.array(z.string()).meta({ description: 'Ids of the billable meters' }),
})
