import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { ACCOUNTS_ERRORS, type ErrorCode } from '../../../core/accounts/errors.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import {
  OAUTH_PROVIDER_IDS,
  type OAuthProvider,
  type OAuthProviderId,
} from '../../../core/accounts/sign-in/oauth/provider.ts'
import { returnPathOf, withParameter } from '../../../core/accounts/sign-in/return-path.ts'
import { signInExternal, type ExternalSignIn } from '../../../db/accounts/across/sign-in/sign-in-external.ts'
import { beginOAuthAttempt, useOAuthAttempt } from '../../../db/accounts/across/sign-in/oauth-attempts.ts'
import { LOGIN_COOKIE, loginCookie, sessionCookie } from '../../kernel/cookies.ts'
import { cookieValue } from '../../kernel/guard/credentials.ts'
import { envelope, rawAnswer } from '../../kernel/reply/answers.ts'
import { defineRoute, type AccountsServices, type Call } from '../services.ts'
import { wantsPage } from '../../kernel/request/wants-page.ts'
import { deviceOf } from './device.ts'
import { ListOAuthProvidersAnswer } from '../../../core/accounts/wire/identity/oauth.ts'

const LABELS: Readonly<Record<OAuthProviderId, string>> = { google: 'Google', github: 'GitHub' }

/** A provider in a path; any other is as unknown as a page that does not exist. */
export const ProviderParams = z.object({
  provider: z
    .enum(OAUTH_PROVIDER_IDS)
    .meta({ description: 'The provider that confirms the identity', example: 'google' }),
})

const Returning = z.looseObject({
  code: z.string().max(4000).optional(),
  state: z.string().max(1000).optional(),
})

const BACK_TO_BROWSER = rawAnswer('Elsewhere, see `Location`', 'text/plain; charset=utf-8')

/** Codes of a sign-in that could not start or failed, which a page finds in `oauth_error`. */
const FALSE_STARTS = ['oauth_not_configured', 'identity_provider_failed'] as const satisfies readonly ErrorCode[]
const REFUSALS = [
  'oidc_response_refused',
  'identity_provider_failed',
  'email_unverified',
  'account_link_required',
  'signup_disabled',
  'forbidden',
] as const satisfies readonly ErrorCode[]

export const listProvidersRoute = defineRoute({
  method: 'get',
  path: '/v1/oauth/providers',
  limit: DOCUMENTS,
  keptForS: 5,
  operationId: 'listOAuthProviders',
  group: 'accounts',
  summary: 'List the providers for sign-in',
  auth: 'public',
  scope: undefined,
  answers: {
    200: envelope(
      'Every provider that the service supports; only those with `configured: true` can be used',
      ListOAuthProvidersAnswer,
    ),
  },
}).handle(async ({ services }) => ({ status: 200, body: { providers: providersOf(services) } }))

/** Lists every supported provider, and whether it is configured here. */
export function providersOf(services: AccountsServices) {
  return OAUTH_PROVIDER_IDS.map((id) => ({
    id,
    label: LABELS[id],
    configured: services.oauth.configured.includes(id) && isReachable(services),
  }))
}

export const startOAuthRoute = defineRoute({
  method: 'get',
  path: '/v1/oauth/{provider}/start',
  operationId: 'startOAuth',
  group: 'accounts',
  summary: 'Sign in with another provider',
  description:
    'Redirects the browser to the provider. The sign-in must finish within ten minutes. If it cannot start, callers that ask for HTML are redirected to the front page with the code in `oauth_error`.',
  auth: 'public',
  scope: undefined,
  limit: { name: 'signin', limit: 'signins_per_ip_5min', windowS: 300, counts: 'calls' },
  params: ProviderParams,
  query: z.object({
    redirect: z.string().optional().meta({ description: 'Path to go to afterwards; any other address is ignored' }),
  }),
  answers: { 302: BACK_TO_BROWSER },
  errors: [...FALSE_STARTS],
}).handle(async ({ services, params, query, request }) => {
  const { db, limits, settings } = services
  try {
    const provider = providerOf(services, params.provider)
    const { url, checks } = await provider.begin(callbackUrlOf(services, provider.id))
    const { browser } = await beginOAuthAttempt(db, {
      provider: provider.id,
      checks,
      returnTo: returnPathOf(query.redirect),
      limits,
      now: services.now(),
    })
    return redirectTo(url, [loginCookie(browser, limits.login_attempt_minutes * 60, settings)])
  } catch (error) {
    if (!isOneOf(FALSE_STARTS, error) || !wantsPage(request)) throw error
    return redirectTo(`/?oauth_error=${error.code}`)
  }
})

export const finishOAuthRoute = defineRoute({
  method: 'get',
  path: '/v1/oauth/{provider}/callback',
  operationId: 'finishOAuth',
  group: 'accounts',
  summary: 'Finish a sign-in with another provider',
  description:
    'The provider redirects the browser to this address. Opens a session and redirects to the requested page, with `oauth=signin` or `oauth=signup`. On failure `oauth_error` holds the code; callers that ask for JSON get an error body.',
  auth: 'public',
  scope: undefined,
  limit: { name: 'signin', limit: 'signins_per_ip_5min', windowS: 300, counts: 'calls' },
  params: ProviderParams,
  query: Returning,
  answers: { 302: BACK_TO_BROWSER },
  errors: ['oauth_not_configured', ...REFUSALS],
}).handle(async (call) => {
  const { services, request } = call
  const { limits, settings } = services
  const forget = loginCookie('', 0, settings)
  try {
    const { signedIn, returnTo } = await finish(call)
    const cookie = sessionCookie(signedIn.session.token, limits.session_days * 86_400, settings)
    return redirectTo(withParameter(returnTo, 'oauth', signedIn.isNew ? 'signup' : 'signin'), [cookie, forget])
  } catch (error) {
    if (!isOneOf(REFUSALS, error) || wantsJson(request)) throw error
    return redirectTo(`/?oauth_error=${error.code}`, [forget])
  }
})

type FinishCall = Call<'public', z.output<typeof ProviderParams>, z.output<typeof Returning>, undefined>

async function finish(call: FinishCall): Promise<{ readonly signedIn: ExternalSignIn; readonly returnTo: string }> {
  const { services, params, query, request, requestId } = call
  const provider = providerOf(services, params.provider)
  const attempt = await useOAuthAttempt(services.db, {
    provider: provider.id,
    state: query.state ?? '',
    browser: cookieValue(request.headers.cookie, LOGIN_COOKIE) ?? '',
    now: services.now(),
  })
  if (attempt === null) {
    throw ACCOUNTS_ERRORS.oidc_response_refused(
      'this sign-in was not started in this browser, or it expired; start it again',
    )
  }
  const callbackUrl = new URL(callbackUrlOf(services, provider.id))
  callbackUrl.search = (request.url ?? '').split('?', 2)[1] ?? ''
  const profile = await provider.finish(callbackUrl, attempt.checks)
  const signedIn = await signInExternal(services.db, {
    provider: provider.id,
    profile,
    isInviteOnly: services.settings.isInviteOnly,
    requestId,
    ...deviceOf(call),
    limits: services.limits,
    now: services.now,
  })
  return { signedIn, returnTo: attempt.returnTo }
}

/** Throws `oauth_not_configured`. */
function providerOf(services: AccountsServices, id: OAuthProviderId): OAuthProvider {
  const provider = services.oauth.find(id)
  if (provider !== null && isReachable(services)) return provider
  throw ACCOUNTS_ERRORS.oauth_not_configured(`sign-in with ${LABELS[id]} is not configured on this service`, {
    details: { provider: id },
  })
}

/** In production the callback address must come from the configuration, not from what the process detected. */
function isReachable({ settings }: AccountsServices): boolean {
  return !settings.isProduction || settings.publicUrl !== undefined
}

function callbackUrlOf(services: AccountsServices, id: OAuthProviderId): string {
  return `${services.publicUrl()}/v1/oauth/${id}/callback`
}

function isOneOf(codes: readonly ErrorCode[], error: unknown): error is DomainError {
  return error instanceof DomainError && codes.includes(error.code)
}

function wantsJson(request: IncomingMessage): boolean {
  const accepted = request.headers.accept ?? ''
  return accepted.includes('application/json') && !accepted.includes('text/html')
}

/** Redirects the browser. The answer is never cached: it holds cookies, and its target belongs to this caller only. */
export function redirectTo(location: string, cookies: readonly string[] = []) {
  return {
    status: 302,
    raw: { kind: 'empty' },
    headers: {
      Location: location,
      'Cache-Control': 'no-store',
      ...(cookies.length > 0 && { 'Set-Cookie': cookies }),
    },
  } as const
}
