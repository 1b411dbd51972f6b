import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { ACCESS } from '../../../db/kernel/operation.ts'
import { signUp, type SignedUp } from '../../../db/accounts/across/sign-up/sign-up.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { presentTenant } from '../../kernel/tenant-view.ts'
import { SignUpAnswer, SignUpBody } from '../../../core/accounts/wire/identity/signup.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { defineRoute, type AccountsServices } from '../services.ts'

export const signUpRoute = defineRoute({
  method: 'post',
  path: '/v1/signup',
  operationId: 'signUp',
  group: 'accounts',
  summary: 'Create a tenant',
  description:
    'The answer shows the API key once; only a hash of it is kept. An address of another account gets the same answer as any other: a new tenant with an unverified address. The owner of the address then gets a mail where mail is configured. Every attempt counts.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit: { name: 'signup', limit: 'signups_per_ip_day', windowS: 86_400, counts: 'calls' },
  body: SignUpBody,
  fieldCodes: { plan: 'unknown_plan' },
  answers: {
    201: envelope('The tenant and its key', SignUpAnswer),
  },
  errors: ['signup_disabled', 'unknown_plan'],
}).handle(async ({ services, requestId, body }) => {
  if (services.settings.isInviteOnly) throw ACCOUNTS_ERRORS.signup_disabled('sign-up is by invitation only')
  const signedUp = await signUp(services.db, {
    email: body.email,
    name: body.name,
    plan: body.plan,
    mailLinksTo: services.settings.isMailConfigured ? services.publicUrl() : undefined,
    requestId,
    now: services.now(),
    limits: services.limits,
  })
  return {
    status: 201,
    body: {
      tenant: presentTenant(signedUp.tenant, services.limits),
      api_key: signedUp.apiKey,
      billing_url: signedUp.isBillingRequired ? await billingUrlOf(services, signedUp, body.plan, requestId) : null,
      billing_required: signedUp.isBillingRequired,
    },
  }
})

/**
 * Returns the payment page of a plan; null when the plan cannot be bought here. The account exists by then and this
 * answer shows its key once, so an error here must not replace the answer: `POST /v1/billing/checkout` tries again.
 */
async function billingUrlOf(
  services: AccountsServices,
  { tenant, keyId }: SignedUp,
  plan: PlanId,
  requestId: string,
): Promise<string | null> {
  const actor = { kind: 'key', keyId } as const
  const op = { ...ACCESS, db: services.db, tenantId: tenant.id, actor, scopes: ['*'], requestId, now: services.now }
  try {
    return await services.ports.openCheckout(op, { plan, email: tenant.email ?? null })
  } catch (error) {
    services.log.warn({ err: error, request_id: requestId }, 'a sign-up got no address to pay at')
    return null
  }
}
