import { PLANS } from '../../../core/kernel/tenant/plans.ts'
import { accountDetails } from '../../../db/overview/account/account-details.ts'
import { quotaStatus } from '../../../db/billing/quota/status.ts'
import { usage30d } from '../../../db/overview/account/usage-30d.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { GetAccountAnswer } from '../../../core/overview/wire/account/account.ts'
import { defineRoute } from '../services.ts'

export const getAccountRoute = defineRoute({
  method: 'get',
  path: '/v1/account',
  operationId: 'getAccount',
  group: 'accounts',
  summary: 'Show the tenant of the caller',
  description: 'For a key that is bound to namespaces, the address and the tax fields are null.',
  auth: 'key',
  scope: 'account:read',
  namespace: 'none: it shows plan and quota, in which every call of the key counts, without address and tax fields',
  answers: {
    200: envelope('Plan, quota and usage', GetAccountAnswer),
  },
}).handle(async ({ services, op }) => {
  const [account, usage] = await Promise.all([accountDetails(op), usage30d(op)])
  const terms = { plan: account.plan, quota: account.quotaOverride, limits: services.limits }
  const quota = await quotaStatus(op, terms)
  return {
    status: 200,
    body: {
      id: account.id,
      name: account.name,
      kind: account.kind,
      email: account.email,
      email_verified: account.isEmailVerified,
      plan: account.plan,
      quota: quota.quota,
      seats: PLANS[account.plan].seats,
      seats_used: account.seatsUsed,
      trial_ends_at: account.trialEndsAt?.toISOString() ?? null,
      usage: { compiles_30d: usage.compiles30d, calls_30d: usage.calls30d },
      period: { used: quota.used, remaining: quota.remaining, resets_at: quota.resetsAt.toISOString() },
      pending_plan: account.pendingPlan,
      billing_status: account.billingStatus,
      company_name: account.companyName,
      country_code: account.countryCode,
      vat_number: account.vatNumber,
      tax_id: account.taxId,
      expires_at: account.expiresAt?.toISOString() ?? null,
      created_at: account.createdAt.toISOString(),
    },
  }
})
