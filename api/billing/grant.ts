import { z } from 'zod'
import { grantPlan } from '../../db/billing/subscriptions/grant-plan.ts'
import { forgetCredential } from '../kernel/guard/forget.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { AdminGrantPlanAnswer, AdminGrantPlanBody } from '../../core/billing/wire/grant.ts'
import { defineRoute } from './services.ts'

export const grantPlanRoute = defineRoute({
  method: 'put',
  path: '/v1/admin/tenants/{tenant_id}/plan',
  operationId: 'adminGrantPlan',
  group: 'admin',
  summary: 'Grant a plan without payment, or end the grant',
  description:
    'The granted plan stays whatever the payment processor reports; a higher paid plan takes precedence. ' +
    'A tenant that changes to the free plan itself loses the grant.',
  auth: 'admin',
  scope: undefined,
  stores: 'bounded',
  params: z.object({ tenant_id: z.string().max(64).meta({ example: 'ten_0000000000000000000000000x' }) }),
  body: AdminGrantPlanBody,
  fieldCodes: { plan: 'unknown_plan' },
  answers: {
    200: envelope('What is given, and what is in force', AdminGrantPlanAnswer),
  },
  errors: ['unknown_plan', 'not_found'],
}).handle(async ({ services, op, params, body }) => {
  const { grantedPlan, plan } = await grantPlan(op, {
    tenantId: params.tenant_id,
    plan: body.plan,
    limits: services.limits,
  })
  forgetCredential(services, params.tenant_id)
  return { status: 200, body: { tenant_id: params.tenant_id, granted_plan: grantedPlan, plan } }
})
