import { z } from 'zod'
import { Plan } from '../../kernel/wire/tenant.ts'

/** The published plans. */
export const Plans = z.array(
  z.object({
    id: Plan,
    label: z.string(),
    price_usd_month: z.number(),
    quota: z.int(),
    seats: z.int(),
    self_serve: z.boolean().meta({ description: 'True when sign-up offers it' }),
    billing_link_configured: z.boolean().meta({ description: 'True when it can be paid here' }),
  }),
)

/** Answer of `GET /v1/plans`. */
export const ListPlansAnswer = z.object({ plans: Plans })

/** Answer of `GET /v1/billing/tiers`. */
export const ListTiersAnswer = z.object({ plans: Plans, billing_configured: z.boolean() })

const Offer = z.union([z.enum(['price', 'payment_link']), z.literal(false)])

/** Answer of `GET /v1/billing/ready`. */
export const GetBillingReadyAnswer = z.object({
  ready: z.boolean().meta({ description: 'Every plan can be paid, and payments are noticed' }),
  missing: z.array(z.string()).meta({ description: 'Parts that are not set up' }),
  secret_key: z.boolean(),
  webhook_secret: z.boolean(),
  livemode: z.boolean().nullable(),
  prices: z.record(z.string(), Offer),
})
