import { z } from 'zod'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { GRANTED_ROLES, SSO_PROVIDERS } from '../../sign-in/sso-settings.ts'
import { Plan } from '../../../kernel/wire/tenant.ts'

const WebAddress = textUpTo(2000).regex(/^https?:\/\//i, { error: 'must be a web address' })

/** Body of `POST /v1/account/sso/configure`. */
export const ConfigureSsoBody = z
  .object({
    provider: z.enum(SSO_PROVIDERS).optional().meta({ example: 'saml-generic' }),
    enabled: z.boolean().optional(),
    metadata_url: WebAddress.optional().meta({
      description: 'Fetched now; only the pinned values are stored, not the document',
    }),
    metadata_xml: textUpTo(200_000).optional(),
    idp_entity_id: textUpTo(1000).nullable().optional(),
    sso_url: WebAddress.nullable().optional(),
    idp_cert_pem: textUpTo(50_000).nullable().optional(),
    saml_audience: textUpTo(1000).nullable().optional(),
    oidc_issuer: WebAddress.nullable().optional(),
    oidc_client_id: textUpTo(300).nullable().optional(),
    oidc_client_secret: textUpTo(1000)
      .nullable()
      .optional()
      .meta({ description: 'Stored encrypted and never returned' }),
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
  .meta({ description: 'Absent fields stay unchanged; null removes' })

/** The stored settings of single sign-on, without secrets. */
export const SsoConfigView = z.object({
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

/** Answer of `POST /v1/account/sso/configure`. */
export const ConfigureSsoAnswer = z.object({ config: SsoConfigView })

/** Answer of `GET /v1/account/sso/status`. */
export const GetSsoStatusAnswer = z.object({
  enabled: z.boolean(),
  configured: z.boolean(),
  plan: Plan,
  entitled: z.boolean(),
  providers_supported: z.array(z.enum(SSO_PROVIDERS)),
  config: SsoConfigView.nullable(),
  sp_metadata_url: z.string(),
  login_url: z.string().meta({ description: 'Members start here' }),
  oidc_redirect_uri: z.string().meta({ description: 'To be registered with an OpenID provider' }),
  scim_endpoint: z.string(),
  assertion_consumer_status: z.enum(['ready', 'disabled', 'not_configured', 'not_entitled']),
})

/** Answer of `POST /v1/account/sso/scim-token`. */
export const RotateScimTokenAnswer = z.object({
  scim_token: z.string(),
  token_type: z.literal('Bearer'),
  scim_base_url: z.string(),
})
