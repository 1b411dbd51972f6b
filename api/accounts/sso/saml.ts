import { DOCUMENTS } from '../../kernel/guard/public-limits.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { systemOperation } from '../../../db/kernel/operation.ts'
import { completeSamlLogin } from '../../../db/accounts/sso/complete-login.ts'
import {
  findSsoLogin,
  findSsoTenant,
  findTenantByIssuer,
  type SsoTenant,
} from '../../../db/accounts/across/sign-in/find-sso-tenant.ts'
import { sessionCookie } from '../../kernel/cookies.ts'
import { envelope, rawAnswer } from '../../kernel/reply/answers.ts'
import { deviceOf } from '../identity/device.ts'
import { forBrowser, ssoBrowser, ssoCookie } from './browser.ts'
import { wantsPage } from '../../kernel/request/wants-page.ts'
import { identityProviderOf, serviceProviderOf } from './service-provider.ts'
import { requireSso } from './tenant-sso.ts'
import { ConsumeAssertionAnswer, SamlResponseBody } from '../../../core/accounts/wire/sso/saml.ts'
import { describeServiceProvider, verifySamlResponse } from '../../../core/accounts/sign-in/saml/provider.ts'
import { claimedIssuer, decodeResponse } from '../../../core/accounts/sign-in/saml/structure.ts'
import { attributeOf, type XmlElement } from '../../../core/accounts/sign-in/saml/xml.ts'
import { defineRoute } from '../services.ts'

export const getSamlMetadataRoute = defineRoute({
  method: 'get',
  path: '/v1/account/saml/metadata',
  limit: DOCUMENTS,
  operationId: 'getSamlMetadata',
  group: 'accounts',
  summary: 'Show the SAML metadata of this service',
  auth: 'public',
  scope: undefined,
  answers: { 200: rawAnswer('The EntityDescriptor', 'application/samlmetadata+xml') },
  errors: ['saml_not_configured'],
}).handle(async ({ services }) => ({
  status: 200,
  raw: { kind: 'bytes', bytes: await describeServiceProvider(serviceProviderOf(services)) },
}))

/**
 * Returns the tenant of a response: the one that the caller names, else the tenant of the request that it answers, else
 * the only tenant that names its issuer. This only chooses the settings for verification: a response for one tenant does
 * not verify under the settings of another.
 */
async function tenantOf(
  db: Database,
  input: { readonly relayState: string | undefined; readonly root: XmlElement; readonly now: Date },
): Promise<SsoTenant | null> {
  const [, hint] = /^tenant:(.+)$/.exec(input.relayState ?? '') ?? []
  if (hint !== undefined) return await findSsoTenant(db, hint)
  const requestId = attributeOf(input.root, 'InResponseTo')
  const login =
    requestId === undefined ? null : await findSsoLogin(db, { protocol: 'saml', state: requestId, now: input.now })
  if (login !== null) return await findSsoTenant(db, login.tenantId)
  const issuer = claimedIssuer(input.root)
  return issuer === undefined ? null : await findTenantByIssuer(db, issuer)
}

export const consumeAssertionRoute = defineRoute({
  method: 'post',
  path: '/v1/account/saml/acs',
  operationId: 'consumeAssertion',
  group: 'accounts',
  summary: 'Receive the response of a SAML identity provider',
  description:
    'Browsers post a form and are redirected with a session cookie; callers that ask for JSON get the session id. ' +
    'A response is accepted once, and only for a sign-in that started in the same browser. A refusal names its `reason`.',
  auth: 'public',
  scope: undefined,
  stores: 'bounded',
  form: true,
  bodyLimit: 'saml_body_bytes',
  limit: { name: 'sso', limit: 'sso_per_ip_5min', windowS: 300, counts: 'calls' },
  body: SamlResponseBody,
  answers: {
    200: envelope('Signed in; the session is in the cookie', ConsumeAssertionAnswer),
    302: rawAnswer('To the page that was asked for, or to the front page with `oauth_error`', 'text/plain'),
  },
  errors: [
    'saml_response_refused',
    'sso_tenant_not_resolved',
    'enterprise_only',
    'saml_not_configured',
    'forbidden',
    'account_link_required',
    'seat_limit',
  ],
}).handle(async (call) => {
  const { services, request, requestId, body } = call
  return await forBrowser(call, async () => {
    const { db, limits, settings: own } = services
    const root = decodeResponse(body.SAMLResponse)
    const found = await tenantOf(db, { relayState: body.RelayState, root, now: services.now() })
    const { tenant, settings } = await requireSso(db, found)
    const service = serviceProviderOf(services)
    const claims = await verifySamlResponse(
      { base64: body.SAMLResponse, root },
      {
        service,
        provider: identityProviderOf(settings, service),
        skewMs: limits.saml_skew_s * 1000,
        now: services.now(),
        issuedAt: async (id) => {
          const login = await findSsoLogin(db, { protocol: 'saml', state: id, now: services.now() })
          return login !== null && login.tenantId === tenant.id ? login.createdAt : null
        },
      },
    )
    const op = systemOperation(db, { tenantId: tenant.id, name: 'saml', requestId, now: services.now })
    const { member, session, returnTo } = await completeSamlLogin(op, {
      claims,
      settings,
      browser: ssoBrowser(request),
      device: deviceOf(call),
      limits,
    })
    const headers = {
      'Set-Cookie': [sessionCookie(session.token, limits.session_days * 86_400, own), ssoCookie('', 0, own)],
    }
    if (!isForm(request.headers['content-type']) && !wantsPage(request)) {
      const { email } = member
      const signedIn = { email, name_id: claims.nameId, session_id: session.sessionId, redirect: returnTo }
      return { status: 200, body: { tenant: { id: tenant.id, name: tenant.name }, ...signedIn }, headers } as const
    }
    return { status: 302, raw: { kind: 'empty' }, headers: { ...headers, Location: returnTo } } as const
  })
})

/** True for a form post: a browser sent it, whatever its `Accept` header says. */
function isForm(contentType: string | undefined): boolean {
  return contentType?.toLowerCase().startsWith('application/x-www-form-urlencoded') ?? false
}
