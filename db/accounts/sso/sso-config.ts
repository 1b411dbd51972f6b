import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { ROLES, type Role } from '../../../core/accounts/roles.ts'
import { bytes, document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** Settings for signing members in through the tenant's own identity provider. */
export const SsoConfigEntity = defineTable({
  name: 'SsoConfig',
  tableName: 'sso_configs',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    provider: p.text(),
    isEnabled: p.boolean(),
    /** Domains whose addresses may sign in; all when empty. */
    domains: document<readonly string[]>(),
    metadataUrl: p.text().nullable(),
    metadataSha256: p.text().nullable(),
    /** Not unique: any tenant may name the id of another organisation's provider. */
    idpEntityId: p.text().index().nullable(),
    ssoUrl: p.text().nullable(),
    /** Certificates of the provider, PEM. */
    idpCerts: document<readonly string[]>(),
    oidcIssuer: p.text().nullable(),
    oidcClientId: p.text().nullable(),
    sealedClientSecret: bytes().nullable(),
    samlAudience: p.text().nullable(),
    /** Role of a member whose groups give no higher one. */
    defaultRole: p.enum(ROLES),
    /** True when a person who signs in and is not a member becomes one. */
    isJit: p.boolean(),
    /** Roles by group of the provider. */
    groupRoles: document<Readonly<Record<string, Role>>>(),
    isScimEnabled: p.boolean(),
    createdAt: instant(),
    updatedAt: instant(),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has no identity provider' },
    purge: 'goes',
    export: {
      section: 'sso',
      key: ['tenantId'],
      columns: {
        tenantId: true,
        provider: true,
        isEnabled: true,
        domains: true,
        metadataUrl: true,
        metadataSha256: true,
        idpEntityId: true,
        ssoUrl: true,
        idpCerts: true,
        oidcIssuer: true,
        oidcClientId: true,
        sealedClientSecret: 'a secret',
        samlAudience: true,
        defaultRole: true,
        isJit: true,
        groupRoles: true,
        isScimEnabled: true,
        createdAt: true,
        updatedAt: true,
      },
    },
    sealed: { sealedClientSecret: { purpose: `'identity'`, key: 'tenant_id' } },
  },
})

/** An assertion that has opened a session, kept until it expires: none opens two. */
export const ConsumedAssertionEntity = defineTable({
  name: 'ConsumedAssertion',
  tableName: 'consumed_assertions',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    assertionId: p.text().primary(),
    expiresAt: instant(),
  },
  indexes: [{ properties: ['expiresAt'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has no identity provider' },
    purge: 'goes',
    export: { leftOut: 'ids by which sign-ins are kept from being replayed' },
    sweeps: [{ name: 'logins', summary: 'Remove expired sign-in attempts', by: 'expiresAt' }],
  },
})

export type SsoConfig = InferEntity<typeof SsoConfigEntity>

/** The columns of a configuration, by the names of `SsoConfig`. */
export const SSO_COLUMNS = [
  'tenant_id as tenantId',
  'provider',
  'is_enabled as isEnabled',
  'domains',
  'metadata_url as metadataUrl',
  'metadata_sha256 as metadataSha256',
  'idp_entity_id as idpEntityId',
  'sso_url as ssoUrl',
  'idp_certs as idpCerts',
  'oidc_issuer as oidcIssuer',
  'oidc_client_id as oidcClientId',
  'sealed_client_secret as sealedClientSecret',
  'saml_audience as samlAudience',
  'default_role as defaultRole',
  'is_jit as isJit',
  'group_roles as groupRoles',
  'is_scim_enabled as isScimEnabled',
  'created_at as createdAt',
  'updated_at as updatedAt',
] as const
