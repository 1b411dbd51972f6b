import { z } from 'zod'
import { Plan } from '../../../kernel/wire/tenant.ts'

/** A meter of the usage. */
export const MeterView = z
  .object({
    id: z.string(),
    label: z.string(),
    unit: z.string(),
    category: z.string(),
    billable: z.boolean().meta({ description: 'One of those that plans are priced by' }),
    counts: z.enum(['period', 'now', 'none']).meta({
      description:
        '`period`: added up over a month. `now`: how much there is. `none`: the service does no such work yet, so it stays 0',
    }),
    tier_soft: z.number().optional().meta({ description: 'From here on the cap is near' }),
    tier_hard: z.number().optional().meta({ description: 'No more than this on the plan; absent without a cap' }),
  })
  .meta({ id: 'Meter' })

/** Answer of `GET /v1/billing/meters`. */
export const ListMetersAnswer = z.object({
  total: z.int(),
  meters: z.array(MeterView),
  tier: Plan,
  billing_units: z.array(z.string()).meta({ description: 'Ids of the billable meters' }),
})
