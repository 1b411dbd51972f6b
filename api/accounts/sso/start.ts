import { z } from 'zod'
import type { Database } from '../../../db/kernel/database.ts'
import { systemOperation, tenantOf } from '../../../db/kernel/operation.ts'
import { completeOidcLogin } from '../../../db/accounts/sso/complete-login.ts'
import { clientSecretOf } from '../../../db/accounts/sso/configure-sso.ts'
import { findSsoTenant } from '../../../db/accounts/across/sign-in/find-sso-tenant.ts'
import { beginSsoLogin, useSsoLogin } from '../../../db/accounts/sso/login-attempts.ts'
import { sessionCookie } from '../../kernel/cookies.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import { TenantId } from '../../../core/kernel/wire/ids.ts'
import { deviceOf } from '../identity/device.ts'
import { forBrowser, ssoBrowser, ssoCookie } from './browser.ts'
import { identityProviderOf, oidcRedirectUri, serviceProviderOf } from './service-provider.ts'
import { requireSso, type TenantSso } from './tenant-sso.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { OidcChecks, type OidcProvider } from '../../../core/accounts/sign-in/oidc/client.ts'
import { returnPathOf } from '../../../core/accounts/sign-in/return-path.ts'
import { startSamlLogin } from '../../../core/accounts/sign-in/saml/provider.ts'
import { protocolOf } from '../../../core/accounts/sign-in/sso-settings.ts'
import { defineRoute, type AccountsServices } from '../services.ts'

/** The redirect of a sign-in, and the values that must return with it. */
interface Departure {
  readonly protocol: 'saml' | 'oidc'
  readonly url: string
  readonly state: string
  readonly secret: string
}

async function departureOf(services: AccountsServices, sso: TenantSso): Promise<Departure> {
  const protocol = protocolOf(sso.settings)
  if (protocol === 'oidc') {
    const redirectUri = oidcRedirectUri(services, sso.tenant.id)
    const { url, checks } = await services.oidc.begin(oidcProviderOf(services.db, sso), redirectUri)
    return { protocol, url, state: checks.state, secret: JSON.stringify(checks) }
  }
  const service = serviceProviderOf(services)
  const { url, requestId } = await startSamlLogin(service, identityProviderOf(sso.settings, service))
  return { protocol: 'saml', url, state: requestId, secret: '' }
}

function oidcProviderOf(db: Database, { config, settings }: TenantSso): OidcProvider {
  const { oidcIssuer: issuer, oidcClientId: clientId } = settings
  if (protocolOf(settings) !== 'oidc' || issuer === null || clientId === null) {
    throw ACCOUNTS_ERRORS.sso_not_configured('the identity provider of this organisation does not use OpenID Connect')
  }
  return { issuer, clientId, clientSecret: clientSecretOf(db, config) }
}

export const startSsoRoute = defineRoute({
  method: 'get',
  path: '/v1/sso/{org}/start',
  operationId: 'startSso',
  group: 'accounts',
  summary: "Sign in through an organisation's identity provider",
  description: 'Redirects the browser to the provider, by SAML or OpenID Connect as the organisation configured it.',
  auth: 'public',
  scope: undefined,
  limit: { name: 'sso', limit: 'sso_per_ip_5min', windowS: 300, counts: 'calls' },
  params: z.object({
    org: z.string().min(1).max(100).meta({ description: 'Id or name', example: 'ten_0000000000000000000000000z' }),
  }),
  query: z.object({ redirect: z.string().max(2000).optional().meta({ description: 'Path to return to' }) }),
  answers: { 302: rawAnswer('To the identity provider', 'text/plain') },
  errors: [
    'sso_tenant_not_resolved',
    'enterprise_only',
    'sso_not_configured',
    'saml_not_configured',
    'identity_provider_failed',
  ],
}).handle(async (call) => {
  const { services, params, query } = call
  return await forBrowser(call, async () => {
    const sso = await requireSso(services.db, await findSsoTenant(services.db, params.org))
    const { url, ...departure } = await departureOf(services, sso)
    const { browser } = await beginSsoLogin(services.db, {
      ...departure,
      tenantId: sso.tenant.id,
      returnTo: returnPathOf(query.redirect),
      now: services.now(),
      limits: services.limits,
    })
    const cookie = ssoCookie(browser, services.limits.login_attempt_minutes * 60, services.settings)
    return {
      status: 302,
      raw: { kind: 'empty' },
      headers: { Location: url, 'Set-Cookie': cookie, 'Cache-Control': 'no-store' },
    } as const
  })
})

export const finishSsoRoute = defineRoute({
  method: 'get',
  path: '/v1/sso/{org}/callback',
  operationId: 'finishSso',
  group: 'accounts',
  summary: "Finish a sign-in through an organisation's OpenID provider",
  description:
    'Each organisation has its own redirect address, so that a code of one provider never reaches another (RFC 9700, 4.4).',
  auth: 'public',
  scope: undefined,
  limit: { name: 'sso', limit: 'sso_per_ip_5min', windowS: 300, counts: 'calls' },
  params: z.object({ org: TenantId }),
  query: z.looseObject({ state: z.string().max(1000).default('') }),
  answers: { 302: rawAnswer('Signed in: to the page that was asked for', 'text/plain') },
  errors: [
    'oidc_response_refused',
    'identity_provider_failed',
    'sso_tenant_not_resolved',
    'enterprise_only',
    'sso_not_configured',
    'forbidden',
    'account_link_required',
    'seat_limit',
  ],
}).handle(async (call) => {
  const { services, request, requestId, params, query } = call
  return await forBrowser(call, async () => {
    const { db, limits, settings: own } = services
    const sso = await requireSso(db, await findSsoTenant(db, params.org))
    // Consumed before the code: a second browser with the same address cannot repeat the sign-in.
    const login = await tenantOf(db, sso.tenant.id).write(
      async (tx) =>
        await useSsoLogin(tx, db, {
          protocol: 'oidc',
          tenantId: sso.tenant.id,
          state: query.state,
          browser: ssoBrowser(request),
          now: services.now(),
        }),
    )
    if (login === null) {
      throw ACCOUNTS_ERRORS.oidc_response_refused(
        'this sign-in was not started in this browser, or it expired; start it again',
      )
    }
    const callbackUrl = new URL(oidcRedirectUri(services, sso.tenant.id))
    callbackUrl.search = new URL(request.url ?? '/', 'http://localhost').search
    const checks = OidcChecks.parse(JSON.parse(login.secret))
    const claims = await services.oidc.finish(oidcProviderOf(db, sso), callbackUrl, checks)
    const op = systemOperation(db, { tenantId: sso.tenant.id, name: 'oidc', requestId, now: services.now })
    const { session } = await completeOidcLogin(op, {
      vouched: claims,
      settings: sso.settings,
      device: deviceOf(call),
      limits,
    })
    return {
      status: 302,
      raw: { kind: 'empty' },
      headers: {
        Location: login.returnTo,
        'Cache-Control': 'no-store',
        'Set-Cookie': [sessionCookie(session.token, limits.session_days * 86_400, own), ssoCookie('', 0, own)],
      },
    } as const
  })
})
