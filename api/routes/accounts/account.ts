import { z } from 'zod'
import { PLAN_IDS, PLANS } from '../../../core/tenancy/plans.ts'
import { quotaStatus } from '../../../db/quota/status.ts'
import { usage30d } from '../../../db/tenants/usage.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { Plan, presentTenant, tenantOf, TenantView } from '../../schemas/tenant.ts'

export const getAccountRoute = defineRoute({
  method: 'get',
  path: '/v1/account',
  operationId: 'getAccount',
  group: 'accounts',
  summary: 'The own tenant',
  auth: 'key',
  scope: 'account:read',
  answers: {
    200: envelope(
      'Plan, quota and usage',
      TenantView.extend({
        usage: z.object({ compiles_30d: z.int(), calls_30d: z.int() }),
        period: z.object({
          used: z.int().meta({ description: 'Units used in this calendar month (UTC)' }),
          remaining: z.int(),
          resets_at: z.iso.datetime(),
        }),
        pending_plan: Plan.nullable().meta({ description: 'A plan that was asked for and is not paid yet' }),
        created_at: z.iso.datetime(),
      }),
    ),
  },
}).handle(async ({ services, op, principal }) => {
  const [tenant, usage, quota] = await Promise.all([
    tenantOf(services.db, principal.tenantId),
    usage30d(op),
    quotaStatus(op, { plan: principal.plan, limits: services.limits }),
  ])
  return {
    status: 200,
    body: {
      ...presentTenant(tenant),
      usage: { compiles_30d: usage.compiles30d, calls_30d: usage.calls30d },
      period: { used: quota.used, remaining: quota.remaining, resets_at: quota.resetsAt.toISOString() },
      pending_plan: tenant.pendingPlan ?? null,
      created_at: tenant.createdAt.toISOString(),
    },
  }
})

export const listPlansRoute = defineRoute({
  method: 'get',
  path: '/v1/plans',
  operationId: 'listPlans',
  group: 'accounts',
  summary: 'The published plans',
  auth: 'public',
  scope: undefined,
  answers: {
    200: envelope(
      'All six plans, cheapest first',
      z.object({
        plans: z.array(
          z.object({
            id: Plan,
            label: z.string(),
            price_usd_month: z.number(),
            quota: z.int(),
            seats: z.int(),
            self_serve: z.boolean().meta({ description: 'True when sign-up offers it' }),
            billing_link_configured: z.boolean(),
          }),
        ),
      }),
    ),
  },
}).handle(async () => ({
  status: 200,
  body: {
    plans: PLAN_IDS.map((id) => ({
      id,
      label: PLANS[id].label,
      price_usd_month: PLANS[id].priceUsdMonth,
      quota: PLANS[id].quota,
      seats: PLANS[id].seats,
      self_serve: id !== 'business',
      billing_link_configured: false,
    })),
  },
  headers: { 'Cache-Control': 'public, max-age=300' },
}))
