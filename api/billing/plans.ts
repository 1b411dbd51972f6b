import { DOCUMENTS } from '../kernel/guard/public-limits.ts'
import type { z } from 'zod'
import { PAID_PLAN_IDS } from '../../core/billing/price-table.ts'
import { PLAN_IDS, PLANS } from '../../core/kernel/tenant/plans.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { offerOf } from './shop.ts'
import { GetBillingReadyAnswer, ListPlansAnswer, ListTiersAnswer, type Plans } from '../../core/billing/wire/plans.ts'
import { defineRoute, type BillingServices } from './services.ts'

function presentPlans(services: BillingServices): z.input<typeof Plans> {
  return PLAN_IDS.map((id) => ({
    id,
    label: PLANS[id].label,
    price_usd_month: PLANS[id].priceUsdMonth,
    quota: PLANS[id].quota,
    seats: PLANS[id].seats,
    self_serve: PLANS[id].isSelfServe,
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
  answers: { 200: envelope('All six plans, cheapest first', ListPlansAnswer) },
}).handle(async ({ services }) => ({ status: 200, body: { plans: presentPlans(services) }, headers: CACHED }))

export const listTiersRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/tiers',
  limit: DOCUMENTS,
  keptForS: 5,
  operationId: 'listTiers',
  group: 'billing',
  summary: 'List the published plans, and whether payment is set up',
  auth: 'public',
  scope: undefined,
  answers: { 200: envelope('As `GET /v1/plans`', ListTiersAnswer) },
}).handle(async ({ services }) => ({
  status: 200,
  body: {
    plans: presentPlans(services),
    billing_configured: PAID_PLAN_IDS.some((plan) => offerOf(services, plan) !== false),
  },
  headers: CACHED,
}))

export const getBillingReadyRoute = defineRoute({
  method: 'get',
  path: '/v1/billing/ready',
  operationId: 'getBillingReady',
  group: 'billing',
  summary: 'Show whether billing is set up',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  answers: {
    200: envelope('What is set up', GetBillingReadyAnswer),
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
