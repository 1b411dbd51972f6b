import type { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { configureSso } from '../../../db/accounts/sso/configure-sso.ts'
import { findSsoConfig, settingsOf } from '../../../db/accounts/sso/find-sso.ts'
import { isEntitled, requireDirectoryRights, requireEntitled } from '../../../db/accounts/sso/may-configure.ts'
import { hasScimToken, rotateScimToken } from '../../../db/accounts/sso/rotate-scim-token.ts'
import type { SsoConfig } from '../../../db/accounts/sso/sso-config.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { oidcRedirectUri } from './service-provider.ts'
import {
  ConfigureSsoBody,
  ConfigureSsoAnswer,
  type SsoConfigView,
  GetSsoStatusAnswer,
  RotateScimTokenAnswer,
} from '../../../core/accounts/wire/sso/configure.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { fetchMetadata } from '../../../core/accounts/sign-in/fetch-metadata.ts'
import { certificateSha256 } from '../../../core/accounts/sign-in/saml/certificates.ts'
import {
  changeSsoSettings,
  NO_SSO,
  protocolOf,
  SSO_PROVIDERS,
  type SsoChange,
  type SsoSettings,
} from '../../../core/accounts/sign-in/sso-settings.ts'
import { defineRoute } from '../services.ts'

function presentConfig(config: SsoConfig, isScimTokenSet: boolean): z.input<typeof SsoConfigView> {
  const settings = settingsOf(config)
  return {
    id: config.tenantId,
    provider: settings.provider,
    protocol: protocolOf(settings),
    enabled: settings.isEnabled,
    domains: [...settings.domains],
    metadata_url: settings.metadataUrl,
    metadata_sha256: settings.metadataSha256,
    oidc_issuer: settings.oidcIssuer,
    oidc_client_id: settings.oidcClientId,
    oidc_client_secret_set: config.sealedClientSecret !== null && config.sealedClientSecret !== undefined,
    idp_entity_id: settings.idpEntityId,
    sso_url: settings.ssoUrl,
    default_role: settings.defaultRole,
    group_roles: { ...settings.groupRoles },
    jit_provisioning: settings.isJit,
    scim_enabled: settings.isScimEnabled,
    idp_cert_configured: settings.idpCerts.length > 0,
    idp_cert_sha256: settings.idpCerts.map(certificateSha256),
    saml_audience: settings.samlAudience,
    scim_token_set: isScimTokenSet,
    created_at: config.createdAt.toISOString(),
    updated_at: config.updatedAt.toISOString(),
    secret_values_included: false,
  }
}

/** Fetches what the call names and gives it the names of the domain. */
async function changeOf(body: z.output<typeof ConfigureSsoBody>, allowsPrivate: boolean): Promise<SsoChange> {
  const { metadata_url: url, metadata_xml: xml } = body
  if (url !== undefined && xml !== undefined) {
    throw invalidField('metadata_xml', 'must be absent beside metadata_url', ACCOUNTS_ERRORS.invalid_identity_config)
  }
  const fetched = url === undefined ? undefined : { xml: await fetchMetadata(url, { allowsPrivate }), url }
  return {
    provider: body.provider,
    isEnabled: body.enabled,
    metadata: fetched ?? (xml === undefined ? undefined : { xml, url: null }),
    idpEntityId: body.idp_entity_id,
    ssoUrl: body.sso_url,
    idpCertPem: body.idp_cert_pem,
    samlAudience: body.saml_audience,
    oidcIssuer: body.oidc_issuer,
    oidcClientId: body.oidc_client_id,
    domains: body.domains,
    defaultRole: body.default_role,
    isJit: body.jit_provisioning,
    groupRoles: body.group_roles,
    isScimEnabled: body.scim_enabled,
  }
}

export const configureSsoRoute = defineRoute({
  method: 'post',
  path: '/v1/account/sso/configure',
  operationId: 'configureSso',
  group: 'accounts',
  summary: "Set how members sign in through the organisation's identity provider",
  description:
    'SAML 2.0 by metadata, or by certificate, entity id and address; OpenID Connect by issuer and client. A caller ' +
    'who sets the provider can sign in as any member up to an admin, so the caller must hold the rights of an admin. ' +
    'Switching a provider off or replacing it ends the sessions that it opened.',
  auth: 'key',
  scope: 'identity:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  body: ConfigureSsoBody,
  fieldCodes: { provider: 'unsupported_provider' },
  answers: { 200: envelope('What is in force', ConfigureSsoAnswer) },
  errors: [
    'enterprise_only',
    'unsupported_provider',
    'identity_metadata_required',
    'invalid_identity_config',
    'identity_provider_failed',
  ],
})
  .authorize(async ({ principal, op }) => {
    requireEntitled(principal.plan)
    requireDirectoryRights(op)
  })
  .handle(async ({ services, principal, op, body }) => {
    const { allowsPrivateEgress: allowsPrivate } = services.settings
    const change = await changeOf(body, allowsPrivate)
    const known = await findSsoConfig(op.db, op.tenantId)
    const next = changeSsoSettings(known === null ? NO_SSO : settingsOf(known), change)
    const { oidcIssuer: issuer, oidcClientId: clientId } = next
    if (body.oidc_issuer !== undefined && issuer !== null && clientId !== null) {
      await services.oidc.check({ issuer, clientId, clientSecret: null })
    }
    const config = await configureSso(op, { plan: principal.plan, change, clientSecret: body.oidc_client_secret })
    return { status: 200, body: { config: presentConfig(config, await hasScimToken(op)) } }
  })

/** True when responses of the identity provider are accepted. */
function consumerStatus(settings: SsoSettings | null, entitled: boolean) {
  if (!entitled) return 'not_entitled'
  if (settings === null || protocolOf(settings) === null) return 'not_configured'
  return settings.isEnabled ? 'ready' : 'disabled'
}

export const getSsoStatusRoute = defineRoute({
  method: 'get',
  path: '/v1/account/sso/status',
  operationId: 'getSsoStatus',
  group: 'accounts',
  summary: 'Show whether single sign-on is set up',
  auth: 'key',
  scope: 'identity:read',
  namespace: 'refused',
  answers: {
    200: envelope('What is set up, on every plan', GetSsoStatusAnswer),
  },
}).handle(async ({ services, principal, op }) => {
  const config = await findSsoConfig(op.db, op.tenantId)
  const entitled = isEntitled(principal.plan)
  const settings = config === null ? null : settingsOf(config)
  const base = services.publicUrl()
  return {
    status: 200,
    body: {
      enabled: entitled && (settings?.isEnabled ?? false),
      configured: settings !== null && protocolOf(settings) !== null,
      plan: principal.plan,
      entitled,
      providers_supported: [...SSO_PROVIDERS],
      config: config === null ? null : presentConfig(config, await hasScimToken(op)),
      sp_metadata_url: `${base}/v1/account/saml/metadata`,
      login_url: `${base}/v1/sso/${principal.tenantId}/start`,
      oidc_redirect_uri: oidcRedirectUri(services, principal.tenantId),
      scim_endpoint: `${base}/scim/v2`,
      assertion_consumer_status: consumerStatus(settings, entitled),
    },
  }
})

export const rotateScimTokenRoute = defineRoute({
  method: 'post',
  path: '/v1/account/sso/scim-token',
  operationId: 'rotateScimToken',
  group: 'accounts',
  summary: 'Create a new SCIM token for the identity provider',
  description:
    'The answer shows the token once, and the previous token ends now. The token can add members, so the caller must be an admin.',
  auth: 'key',
  scope: 'identity:write',
  namespace: 'refused',
  stores: 'bounded',
  answers: {
    200: envelope('The token, and where it is good', RotateScimTokenAnswer),
  },
  errors: ['enterprise_only', 'busy'],
}).handle(async ({ services, principal, op }) => {
  const { token, retired } = await rotateScimToken(op, { plan: principal.plan })
  for (const id of retired) forgetCredential(services, id)
  return {
    status: 200,
    body: { scim_token: token, token_type: 'Bearer', scim_base_url: `${services.publicUrl()}/scim/v2` },
  }
})
