import { FindSessionAnswer } from '../../../core/accounts/wire/identity/sessions.ts'
import { hasSsoTenants } from '../../../db/accounts/across/sign-in/find-sso-tenant.ts'
import { sessionCookie } from '../../kernel/cookies.ts'
import { sessionToken } from '../../kernel/guard/credentials.ts'
import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute, type Call } from '../services.ts'
import { providersOf } from './oauth.ts'

export const findSessionRoute = defineRoute({
  method: 'get',
  path: '/v1/session',
  limit: DOCUMENTS,
  operationId: 'findSession',
  group: 'accounts',
  summary: 'Show whether a browser session is open, and how to sign in',
  description:
    'Needs no credential and answers 200 in every state, so that a page can ask before it calls anything else.',
  auth: 'public',
  scope: undefined,
  setsCookie: true,
  answers: { 200: envelope('The state of the session, and the configured ways to sign in', FindSessionAnswer) },
}).handle(async (call) => {
  const { services } = call
  const [{ state, headers }, sso] = await Promise.all([stateOf(call), hasSsoTenants(services.db)])
  const providers = providersOf(services).filter(({ configured }) => configured)
  return {
    status: 200,
    body: {
      session: state,
      ways: {
        mail: services.settings.isMailConfigured,
        providers: providers.map(({ id, label }) => ({ id, label })),
        sso,
        sign_up: !services.settings.isInviteOnly,
      },
    },
    headers,
  }
})

/** Returns the state of the session of the cookie, and the cookie again when its end was moved. */
async function stateOf({ services, request }: Pick<Call<'public', unknown, unknown, unknown>, 'services' | 'request'>) {
  const token = sessionToken(request)
  if (token === undefined) return { state: 'none', headers: {} } as const
  const session = await services.sessions.authenticate(token)
  if (session === null) return { state: 'ended', headers: {} } as const
  if (!session.isExtended) return { state: 'open', headers: {} } as const
  const leftS = Math.max(1, Math.floor((session.expiresAt.getTime() - services.now().getTime()) / 1000))
  return { state: 'open', headers: { 'Set-Cookie': sessionCookie(token, leftS, services.settings) } } as const
}
