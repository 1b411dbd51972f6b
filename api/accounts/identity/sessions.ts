import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import type { z } from 'zod'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { closeSession } from '../../../db/accounts/sessions/close-session.ts'
import { openSession } from '../../../db/accounts/sessions/open-session.ts'
import { clearSessionCookie, sessionCookie } from '../../kernel/cookies.ts'
import { sessionToken } from '../../kernel/guard/credentials.ts'
import { operationOf } from '../../kernel/guard/authenticate.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { tenantOf } from '../../kernel/tenant-view.ts'
import { deviceOf } from './device.ts'
import { CloseSessionAnswer, SignInBody, SignInAnswer } from '../../../core/accounts/wire/identity/sessions.ts'
import { defineRoute, type Call } from '../services.ts'

/** Exchanges a key for a session. Throws `invalid_credential`. */
async function signIn(call: Call<'public', unknown, unknown, z.output<typeof SignInBody>>) {
  const { services, requestId, body } = call
  const principal = await services.keys.authenticate(body.api_key)
  // A SCIM token belongs to no person, so it opens no session.
  if (!principal || principal.kind === 'scim') {
    throw KERNEL_ERRORS.invalid_credential('the API key is not valid')
  }
  const op = operationOf(services, principal, requestId)
  const { token } = await openSession(op, {
    keyId: principal.keyId,
    memberId: principal.memberId,
    authMethod: 'key',
    ...deviceOf(call),
    limits: services.limits,
  })
  const tenant = await tenantOf(services.db, principal.tenantId)
  return {
    status: 200,
    body: { tenant: { id: tenant.id, name: tenant.name, plan: tenant.plan } },
    headers: { 'Set-Cookie': sessionCookie(token, services.limits.session_days * 86_400, services.settings) },
  } as const
}

/** The declaration that the two routes that open a session share. */
const signIns = {
  method: 'post',
  group: 'accounts',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  setsCookie: true,
  limit: { name: 'signin', limit: 'signins_per_ip_5min', windowS: 300, counts: 'calls' },
  body: SignInBody,
  answers: {
    200: envelope('The tenant; the session is in the cookie', SignInAnswer),
  },
  errors: ['invalid_credential', 'anon_expired'],
} as const

export const signInRoute = defineRoute({
  ...signIns,
  path: '/v1/signin',
  operationId: 'signIn',
  summary: 'Exchange an API key for a browser session',
}).handle(signIn)

export const openSessionRoute = defineRoute({
  ...signIns,
  path: '/v1/session/login',
  operationId: 'openSession',
  summary: 'Open a browser session',
  description: 'The same as `POST /v1/signin`.',
}).handle(signIn)

export const closeSessionRoute = defineRoute({
  method: 'post',
  path: '/v1/session/logout',
  limit: DOCUMENTS,
  operationId: 'closeSession',
  group: 'accounts',
  summary: 'Close the browser session',
  description: 'Ends the session on the server and clears its cookie. Closing twice, or without one, changes nothing.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  setsCookie: true,
  answers: { 200: envelope('The session is closed', CloseSessionAnswer) },
}).handle(async ({ services, request, requestId }) => {
  const token = sessionToken(request)
  const session = token === undefined ? null : await services.sessions.authenticate(token)
  if (session?.principal.sessionId !== undefined) {
    const op = operationOf(services, session.principal, requestId)
    await closeSession(op, { sessionId: session.principal.sessionId })
    services.sessions.forget(session.principal.sessionId)
  }
  return { status: 200, body: {}, headers: { 'Set-Cookie': clearSessionCookie(services.settings) } }
})
