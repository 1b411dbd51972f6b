import { z } from 'zod'
import { PLAN_IDS } from '../../kernel/tenant/plans.ts'
import { Email } from '../../accounts/wire/email.ts'
import { Plan } from '../../kernel/wire/tenant.ts'

const PaidPlan = z
  .enum(PLAN_IDS)
  .exclude(['free'])
  .meta({ id: 'PaidPlan', description: 'Id of a plan that is paid for' })

/** Body of `POST /v1/billing/checkout`. */
export const CreateCheckoutBody = z.object({
  plan: PaidPlan,
  email: Email.optional().meta({ description: 'For the receipt; your own address when absent' }),
  quantity: z.literal(1).default(1).meta({ description: 'A tenant has one plan' }),
})

/** Answer of `POST /v1/billing/checkout`. */
export const CreateCheckoutAnswer = z.object({
  id: z.string().nullable().meta({ description: 'Null for a payment link' }),
  url: z.string(),
  plan: Plan,
  tenant: z.string(),
  source: z.enum(['checkout', 'link']),
  livemode: z.boolean().nullable(),
})

/** Body of `POST /v1/account/change-plan`. */
export const ChangePlanBody = z.object({ plan: Plan })

/** Answer of `POST /v1/account/change-plan`. */
export const ChangePlanAnswer = z.object({
  tenant: z.object({ id: z.string(), plan: Plan, quota: z.int(), seats: z.int() }),
  billing_url: z.string().nullable(),
  billing_required: z.boolean(),
})

/** Answer of `POST /v1/account/cancel`. */
export const CancelPlanAnswer = z.object({ downgrades_to: z.literal('free'), effective_at: z.iso.datetime() })
