import { z } from 'zod'
import { DomainError } from '../../../core/kernel/errors.ts'
import { returnPathOf } from '../../../core/accounts/return-path.ts'
import { startMailSignIn } from '../../../db/accounts/across/sign-in/start-sign-in.ts'
import { confirmMail } from '../../../db/accounts/across/sign-in/confirm-mail.ts'
import { requestVerification } from '../../../db/accounts/tenants/verification/verify-email.ts'
import { sessionCookie } from '../../kernel/cookies.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { Plan, tenantOf } from '../../kernel/schemas/tenant.ts'
import { textUpTo } from '../../kernel/schemas/text.ts'
import type { ApiServices } from '../../services.ts'
import { deviceOf } from './device.ts'
import { Email } from './schemas.ts'

const MAIL_LIMIT = { name: 'mail', limit: 'mails_per_ip_15min', windowS: 900, counts: 'calls' } as const

export const startEmailRoute = defineRoute({
  method: 'post',
  path: '/v1/auth/email/start',
  operationId: 'startEmailSignIn',
  group: 'accounts',
  summary: 'Ask for a mail with a link that signs in, or that gives a new key',
  description:
    'The answer is the same, and takes the same time, whether or not the address has an account. A link that signs in is sent to verified addresses only; the one that recovers is sent to any address of an account, and ends all its keys and sessions when it is used.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit: MAIL_LIMIT,
  body: z.object({
    email: Email,
    mode: z.enum(['sign_in', 'recover']).default('sign_in'),
    redirect: z.string().max(1000).optional().meta({ description: 'Path to go to afterwards' }),
    org: textUpTo(100)
      .optional()
      .meta({ description: 'Id or name of the organisation that is meant, for an address that is in several' }),
  }),
  answers: {
    200: envelope('Taken note of', z.object({ expires_in_s: z.int().meta({ description: 'Life of the link' }) })),
  },
  errors: ['mail_not_configured'],
}).handle(async ({ services, body }) => {
  requireMail(services)
  const { limits } = services
  await startMailSignIn(services.db, {
    email: body.email,
    mode: body.mode,
    org: body.org,
    returnTo: returnPathOf(body.redirect),
    linksTo: services.publicUrl(),
    limits,
    now: services.now(),
  })
  return { status: 200, body: { expires_in_s: limits.mail_token_minutes * 60 } }
})

export const confirmEmailRoute = defineRoute({
  method: 'post',
  path: '/v1/auth/email/confirm',
  operationId: 'confirmEmail',
  group: 'accounts',
  summary: 'Use the token of a mailed link',
  description:
    'A token works once. One that verifies an address opens no session; one that recovers answers the new key, shown this once.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  setsCookie: true,
  limit: { name: 'signin', limit: 'signins_per_ip_5min', windowS: 300, counts: 'calls' },
  body: z.object({ token: z.string().min(1).max(200) }),
  answers: {
    200: envelope(
      'What the token did; a session is in the cookie',
      z.object({
        did: z.enum(['verified', 'signed_in', 'recovered']),
        tenant: z.object({ id: z.string(), name: z.string(), plan: Plan }),
        api_key: z.string().nullable(),
        redirect: z.string(),
      }),
    ),
  },
  errors: ['invalid_token', 'token_expired', 'email_exists'],
}).handle(async (call) => {
  const { services, requestId, body } = call
  const { limits, settings } = services
  const confirmed = await confirmMail(services.db, {
    token: body.token,
    requestId,
    ...deviceOf(call),
    limits,
    now: services.now,
  })
  if (confirmed.did === 'recovered') forgetCredential(services, confirmed.tenantId)
  const tenant = await tenantOf(services.db, confirmed.tenantId)
  const { session } = confirmed
  return {
    status: 200,
    body: {
      did: confirmed.did,
      tenant: { id: tenant.id, name: tenant.name, plan: tenant.plan },
      api_key: confirmed.apiKey,
      redirect: confirmed.returnTo,
    },
    ...(session !== null && {
      headers: { 'Set-Cookie': sessionCookie(session.token, limits.session_days * 86_400, settings) },
    }),
  }
})

export const verifyEmailRoute = defineRoute({
  method: 'post',
  path: '/v1/account/email/verify',
  operationId: 'verifyEmail',
  group: 'accounts',
  summary: 'Send the mail that verifies the address once more',
  description: 'An address gets a few of them an hour, whoever asks.',
  auth: 'key',
  scope: 'account:write',
  namespace: 'refused',
  stores: 'bounded',
  limit: MAIL_LIMIT,
  answers: {
    202: envelope('On its way, or nothing to do', z.object({ email: z.string(), already_verified: z.boolean() })),
  },
  errors: ['mail_not_configured'],
}).handle(async ({ services, op }) => {
  requireMail(services)
  const linksTo = services.publicUrl()
  const { email, isVerified } = await requestVerification(op, { linksTo, limits: services.limits })
  return { status: 202, body: { email, already_verified: isVerified } }
})

function requireMail({ settings }: ApiServices): void {
  if (settings.isMailConfigured) return
  throw new DomainError('mail_not_configured', 'no mail server is configured on this service')
}
