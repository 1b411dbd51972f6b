import { z } from 'zod'
import { DomainError } from '../../../core/errors.ts'
import { signUp } from '../../../db/tenants/sign-up.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { presentTenant, TenantView } from '../../schemas/tenant.ts'
import { textUpTo } from '../../schemas/text.ts'

const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)+$/u, {
    error: 'must be a valid e-mail address',
  })

/** The plans that sign-up offers; `business` is agreed with people. */
const SELF_SERVE_PLAN_IDS = ['free', 'starter', 'pro', 'teams', 'enterprise'] as const

export const signUpRoute = defineRoute({
  method: 'post',
  path: '/v1/signup',
  operationId: 'signUp',
  group: 'accounts',
  summary: 'Create a tenant',
  description: 'Answers the API key once; only a hash of it is kept.',
  auth: 'public',
  scope: undefined,
  limit: { name: 'signup', limit: 'signups_per_ip_day', windowS: 86_400, counts: 'successes' },
  body: z.object({
    email: Email,
    name: textUpTo(100).optional(),
    plan: z.enum(SELF_SERVE_PLAN_IDS).default('free'),
  }),
  fieldCodes: { plan: 'unknown_plan' },
  answers: {
    201: envelope(
      'The tenant and its key',
      z.object({
        tenant: TenantView,
        api_key: z.string().meta({ description: 'Shown this once' }),
        billing_url: z.string().nullable(),
        billing_required: z.boolean(),
      }),
    ),
  },
  errors: ['signup_disabled', 'email_exists', 'unknown_plan'],
}).handle(async ({ services, requestId, body }) => {
  if (services.settings.isInviteOnly) throw new DomainError('signup_disabled', 'sign-up is by invitation only')
  const { tenant, apiKey, isBillingRequired } = await signUp(services.db, {
    email: body.email,
    name: body.name,
    plan: body.plan,
    requestId,
    now: services.now(),
    limits: services.limits,
  })
  return {
    status: 201,
    body: { tenant: presentTenant(tenant), api_key: apiKey, billing_url: null, billing_required: isBillingRequired },
  }
})
