import { DOCUMENTS } from '../kernel/guard/public-limits.ts'
import { z } from 'zod'
import { PAID_PLAN_IDS } from '../../core/billing/price-table.ts'
import { PLAN_IDS, PLANS } from '../../core/kernel/tenant/plans.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute, type BillingServices } from './services.ts'
import { Plan } from '../kernel/schemas/tenant.ts'
import { offerOf } from './shop.ts'

const Plans = z.array(
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

function presentPlans(services: BillingServices): z.input<typeof Plans> {
  return PLAN_IDS.map((id) => ({
    id,
    label: PLANS[id].label,
    price_usd_month: PLANS[id].priceUsdMonth,
    quota: PLANS[id].quota,
    seats: PLANS[id].seats,
    self_serve: id !== 'business',
    billing_link_configured: offerOf(services, id) !== false,
  }))
}

const CACHED = { 'Cache-Control': 'public, max-age=300' } as const

export const listPlansRoute = defineRoute({
  method: 'get',
  path: '/v1/plans',
  limit: DOCUMENTS,
  keptForS: 5,
  operationId: 'listPlans',
  group: 'billing',
  summary: 'The published plans',
  auth: 'public',
  scope: undefined,
  answers: { 200: envelope('All six plans, cheapest first', z.object({ plans: Plans })) },
}).handle(async ({ services }) => ({ status: 200, body: { plans: presentPlans(services) }, headers: CACHED }))

export const listTiersRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/tiers',
  limit: DOCUMENTS,
  keptForS: 5,
  operationId: 'listTiers',
  group: 'billing',
  summary: 'The published plans, and whether any can be paid',
  auth: 'public',
  scope: undefined,
  answers: {
    200: envelope('As `GET /v1/plans`', z.object({ plans: Plans, billing_configured: z.boolean() })),
  },
}).handle(async ({ services }) => ({
  status: 200,
  body: {
    plans: presentPlans(services),
    billing_configured: PAID_PLAN_IDS.some((plan) => offerOf(services, plan) !== false),
  },
  headers: CACHED,
}))

const Offer = z.union([z.enum(['price', 'payment_link']), z.literal(false)])

export const getBillingReadyRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/ready',
  operationId: 'getBillingReady',
  group: 'billing',
  summary: 'Whether billing is wired',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'What is set up',
      z.object({
        ready: z.boolean().meta({ description: 'Every plan can be paid, and payments are noticed' }),
        missing: z.array(z.string()).meta({ description: 'Parts that are not set up' }),
        secret_key: z.boolean(),
        webhook_secret: z.boolean(),
        livemode: z.boolean().nullable(),
        prices: z.record(z.string(), Offer),
      }),
    ),
  },
}).handle(async ({ services }) => {
  const { stripe } = services.settings
  const offers = PAID_PLAN_IDS.map((plan) => [plan, offerOf(services, plan)] as const)
  const missing = [
    ...(stripe?.secretKey === undefined ? ['secret_key'] : []),
    ...(stripe?.webhookSecret === undefined ? ['webhook_secret'] : []),
    ...offers.flatMap(([plan, offer]) => (offer === false ? [`plan:${plan}`] : [])),
  ]
  return {
    status: 200,
    body: {
      ready: missing.length === 0,
      missing,
      secret_key: stripe?.secretKey !== undefined,
      webhook_secret: stripe?.webhookSecret !== undefined,
      livemode: services.processor?.isLivemode ?? null,
      prices: Object.fromEntries(offers),
    },
  }
})
