import { startMailSignIn } from '../../../db/accounts/across/sign-in/start-sign-in.ts'
import { confirmMail } from '../../../db/accounts/across/sign-in/confirm-mail.ts'
import { requestVerification } from '../../../db/accounts/tenants/verification/verify-email.ts'
import { sessionCookie } from '../../kernel/cookies.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { tenantOf } from '../../kernel/tenant-view.ts'
import { deviceOf } from './device.ts'
import {
  ConfirmEmailAnswer,
  ConfirmEmailBody,
  StartEmailSignInAnswer,
  StartEmailSignInBody,
  VerifyEmailAnswer,
} from '../../../core/accounts/wire/identity/mail-sign-in.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { returnPathOf } from '../../../core/accounts/sign-in/return-path.ts'
import { defineRoute, type AccountsServices } from '../services.ts'

const MAIL_LIMIT = { name: 'mail', limit: 'mails_per_ip_15min', windowS: 900, counts: 'calls' } as const

export const startEmailRoute = defineRoute({
  method: 'post',
  path: '/v1/auth/email/start',
  operationId: 'startEmailSignIn',
  group: 'accounts',
  summary: 'Request a mail with a link to sign in or to get a new key',
  description:
    'The answer is the same, and takes the same time, whether or not the address has an account. A link that signs in is sent to verified addresses only; the one that recovers is sent to any address of an account, and ends all its keys and sessions when it is used.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  limit: MAIL_LIMIT,
  body: StartEmailSignInBody,
  answers: { 200: envelope('The request is accepted', StartEmailSignInAnswer) },
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
    'A token works once. A token that verifies an address opens no session. The answer to a recovery token shows the new key once.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  setsCookie: true,
  limit: { name: 'signin', limit: 'signins_per_ip_5min', windowS: 300, counts: 'calls' },
  body: ConfirmEmailBody,
  answers: {
    200: envelope('What the token did; a session is in the cookie', ConfirmEmailAnswer),
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
  summary: 'Send the verification mail again',
  description: 'Each address gets a few of these mails an hour.',
  auth: 'key',
  scope: 'account:write',
  namespace: 'refused',
  stores: 'bounded',
  limit: MAIL_LIMIT,
  answers: { 202: envelope('On its way, or nothing to do', VerifyEmailAnswer) },
  errors: ['mail_not_configured'],
}).handle(async ({ services, op }) => {
  requireMail(services)
  const linksTo = services.publicUrl()
  const { email, isVerified } = await requestVerification(op, { linksTo, limits: services.limits })
  return { status: 202, body: { email, already_verified: isVerified } }
})

function requireMail({ settings }: AccountsServices): void {
  if (settings.isMailConfigured) return
  throw ACCOUNTS_ERRORS.mail_not_configured('no mail server is configured on this service')
}
