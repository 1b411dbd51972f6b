import { PLANS } from '../../core/kernel/tenant/plans.ts'
import { cancelPlan } from '../../db/billing/subscriptions/cancel-plan.ts'
import { changeToFree, keepPlan } from '../../db/billing/subscriptions/change-plan.ts'
import { startCheckout } from '../../db/billing/checkouts/start-checkout.ts'
import { quotaOf } from '../../core/kernel/tenant/quota-of.ts'
import { forgetCredential } from '../kernel/guard/forget.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { tenantOf } from '../kernel/tenant-view.ts'
import { shopOf } from './shop.ts'
import {
  CancelPlanAnswer,
  ChangePlanAnswer,
  ChangePlanBody,
  CreateCheckoutAnswer,
  CreateCheckoutBody,
} from '../../core/billing/wire/checkout.ts'
import { defineRoute } from './services.ts'

export const createCheckoutRoute = defineRoute({
  method: 'post',
  path: '/v1/billing/checkout',
  operationId: 'createCheckout',
  group: 'billing',
  summary: 'Start a checkout of a paid plan',
  description:
    'The plan changes when the payment processor confirms the payment. A repeated call within a minute gets the same checkout.',
  auth: 'key',
  scope: 'billing:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  body: CreateCheckoutBody,
  fieldCodes: { plan: 'unknown_plan' },
  answers: {
    200: envelope('Where to pay', CreateCheckoutAnswer),
  },
  errors: ['unknown_plan', 'billing_not_configured', 'processor_failed'],
}).handle(async ({ services, op, body }) => {
  const checkout = await startCheckout(op, shopOf(services), { plan: body.plan, email: body.email ?? null })
  return {
    status: 200,
    body: {
      ...checkout,
      plan: body.plan,
      tenant: op.tenantId,
      livemode: services.processor?.isLivemode ?? null,
    },
  }
})

export const changePlanRoute = defineRoute({
  method: 'post',
  path: '/v1/account/change-plan',
  operationId: 'changePlan',
  group: 'accounts',
  summary: 'Change the plan',
  description:
    'The free plan applies immediately, and the subscription ends. A paid plan changes nothing yet and answers ' +
    'where to pay: it comes into force when it was paid. The plan that is in force already goes on, if it was cancelled.',
  auth: 'key',
  scope: 'billing:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  body: ChangePlanBody,
  fieldCodes: { plan: 'unknown_plan' },
  answers: {
    200: envelope('The tenant as it is now', ChangePlanAnswer),
  },
  errors: ['unknown_plan', 'billing_not_configured', 'processor_failed'],
}).handle(async ({ services, op, body, whenKept }) => {
  const before = await tenantOf(op.db, op.tenantId)
  let url: string | null = null
  const { limits } = services
  if (body.plan === 'free') await changeToFree(op, { limits })
  else if (body.plan === before.plan) await keepPlan(op, { plan: body.plan, limits })
  else url = (await startCheckout(op, shopOf(services), { plan: body.plan, email: null })).url
  whenKept(() => forgetCredential(services, op.tenantId))
  const { id, plan, quotaOverride } = await tenantOf(op.db, op.tenantId)
  return {
    status: 200,
    body: {
      tenant: { id, plan, quota: quotaOf({ plan, quota: quotaOverride ?? null }, limits), seats: PLANS[plan].seats },
      billing_url: url,
      billing_required: url !== null,
    },
  }
})

export const cancelPlanRoute = defineRoute({
  method: 'post',
  path: '/v1/account/cancel',
  operationId: 'cancelPlan',
  group: 'accounts',
  summary: 'Cancel the paid plan',
  description: 'The plan changes to the free plan at the end of the paid period. The key keeps working.',
  auth: 'key',
  scope: 'billing:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  answers: { 200: envelope('When it happens', CancelPlanAnswer) },
}).handle(async ({ services, op }) => {
  const effectiveAt = await cancelPlan(op, { limits: services.limits })
  return { status: 200, body: { downgrades_to: 'free', effective_at: effectiveAt.toISOString() } }
})
