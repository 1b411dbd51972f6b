import { z } from 'zod'
import { invalidField } from '../../../core/kernel/errors.ts'
import { fetchMetadata } from '../../../core/accounts/fetch-metadata.ts'
import { certificateSha256 } from '../../../core/accounts/saml/certificates.ts'
import {
  changeSsoSettings,
  GRANTED_ROLES,
  NO_SSO,
  protocolOf,
  SSO_PROVIDERS,
  type SsoChange,
  type SsoSettings,
} from '../../../core/accounts/sso-settings.ts'
import { configureSso } from '../../../db/accounts/sso/configure-sso.ts'
import { findSsoConfig, settingsOf } from '../../../db/accounts/sso/find-sso.ts'
import { isEntitled, requireDirectoryRights, requireEntitled } from '../../../db/accounts/sso/may-configure.ts'
import { hasScimToken, rotateScimToken } from '../../../db/accounts/sso/rotate-scim-token.ts'
import type { SsoConfig } from '../../../db/accounts/sso/sso-config.ts'
import { forgetCredential } from '../../kernel/guard/forget.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../../kernel/route.ts'
import { Plan } from '../../kernel/schemas/tenant.ts'
import { textUpTo } from '../../kernel/schemas/text.ts'
import { oidcRedirectUri } from './service-provider.ts'

const WebAddress = textUpTo(2000).regex(/^https?:\/\//i, { error: 'must be a web address' })

const Configuration = z
  .object({
    provider: z.enum(SSO_PROVIDERS).optional().meta({ example: 'saml-generic' }),
    enabled: z.boolean().optional(),
    metadata_url: WebAddress.optional().meta({ description: 'Fetched now; what it pins is kept, not the document' }),
    metadata_xml: textUpTo(200_000).optional(),
    idp_entity_id: textUpTo(1000).nullable().optional(),
    sso_url: WebAddress.nullable().optional(),
    idp_cert_pem: textUpTo(50_000).nullable().optional(),
    saml_audience: textUpTo(1000).nullable().optional(),
    oidc_issuer: WebAddress.nullable().optional(),
    oidc_client_id: textUpTo(300).nullable().optional(),
    oidc_client_secret: textUpTo(1000).nullable().optional().meta({ description: 'Sealed, and never answered' }),
    domains: z.array(textUpTo(253)).max(25).optional(),
    default_role: z.enum(GRANTED_ROLES).optional(),
    jit_provisioning: z.boolean().optional(),
    group_roles: z
      .record(textUpTo(256), z.enum(GRANTED_ROLES))
      .refine((roles) => Object.keys(roles).length <= 100, { error: 'must name at most 100 groups' })
      .optional()
      .meta({
        description:
          'Roles by group of the provider; of groups that SCIM keeps at once, else with the next sign-in. No group makes an owner',
      }),
    scim_enabled: z.boolean().optional(),
  })
  .meta({ description: 'What is absent stays as it was; null takes away' })

const ConfigView = z.object({
  id: z.string(),
  provider: z.enum(SSO_PROVIDERS),
  protocol: z.enum(['saml', 'oidc']).nullable(),
  enabled: z.boolean(),
  domains: z.array(z.string()),
  metadata_url: z.string().nullable(),
  metadata_sha256: z.string().nullable(),
  oidc_issuer: z.string().nullable(),
  oidc_client_id: z.string().nullable(),
  oidc_client_secret_set: z.boolean(),
  idp_entity_id: z.string().nullable(),
  sso_url: z.string().nullable(),
  default_role: z.enum(GRANTED_ROLES),
  group_roles: z.record(z.string(), z.enum(GRANTED_ROLES)),
  jit_provisioning: z.boolean(),
  scim_enabled: z.boolean(),
  idp_cert_configured: z.boolean(),
  idp_cert_sha256: z.array(z.string()),
  saml_audience: z.string().nullable(),
  scim_token_set: z.boolean(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
  secret_values_included: z.literal(false),
})

function presentConfig(config: SsoConfig, isScimTokenSet: boolean): z.input<typeof ConfigView> {
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
async function changeOf(body: z.output<typeof Configuration>, allowsPrivate: boolean): Promise<SsoChange> {
  const { metadata_url: url, metadata_xml: xml } = body
  if (url !== undefined && xml !== undefined) {
    throw invalidField('metadata_xml', 'must be absent beside metadata_url', 'invalid_identity_config')
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
    'SAML 2.0 by metadata, or by certificate, entity id and address; OpenID Connect by issuer and client. Whoever names ' +
    'the provider can become any member up to an admin, so the caller must hold the rights of an admin. Sessions that a ' +
    'provider opened end when it is switched off or another takes its place.',
  auth: 'key',
  scope: 'identity:write',
  namespace: 'refused',
  stores: 'bounded',
  idempotency: 'kernel',
  body: Configuration,
  fieldCodes: { provider: 'unsupported_provider' },
  answers: { 200: envelope('What is in force', z.object({ config: ConfigView })) },
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

/** Whether responses of the identity provider are taken. */
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
  summary: 'Whether single sign-on is set up',
  auth: 'key',
  scope: 'identity:read',
  namespace: 'refused',
  answers: {
    200: envelope(
      'What is set up, on every plan',
      z.object({
        enabled: z.boolean(),
        configured: z.boolean(),
        plan: Plan,
        entitled: z.boolean(),
        providers_supported: z.array(z.enum(SSO_PROVIDERS)),
        config: ConfigView.nullable(),
        sp_metadata_url: z.string(),
        login_url: z.string().meta({ description: 'Members start here' }),
        oidc_redirect_uri: z.string().meta({ description: 'To be registered with an OpenID provider' }),
        scim_endpoint: z.string(),
        assertion_consumer_status: z.enum(['ready', 'disabled', 'not_configured', 'not_entitled']),
      }),
    ),
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
  summary: 'Give the identity provider a new SCIM token',
  description: 'The token is shown this once, and the one before it ends now. It makes members, so it takes an admin.',
  auth: 'key',
  scope: 'identity:write',
  namespace: 'refused',
  stores: 'bounded',
  answers: {
    200: envelope(
      'The token, and where it is good',
      z.object({
        scim_token: z.string(),
        token_type: z.literal('Bearer'),
        scim_base_url: z.string(),
      }),
    ),
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
