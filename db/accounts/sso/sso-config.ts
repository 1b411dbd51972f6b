import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import { ROLES, type Role } from '../../../core/accounts/roles.ts'
import { bytes, document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** How a tenant's members sign in through its own identity provider. */
export const SsoConfigEntity = defineEntity({
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
    /** Not unique: anybody may name the id of another organisation's provider. */
    idpEntityId: p.text().index().nullable(),
    ssoUrl: p.text().nullable(),
    /** Certificates of the provider, PEM. */
    idpCerts: document<readonly string[]>(),
    oidcIssuer: p.text().nullable(),
    oidcClientId: p.text().nullable(),
    sealedClientSecret: bytes().nullable(),
    samlAudience: p.text().nullable(),
    /** What a member becomes that no group makes more of. */
    defaultRole: p.enum(ROLES),
    /** Whoever signs in and is no member becomes one. */
    isJit: p.boolean(),
    /** Roles by group of the provider. */
    groupRoles: document<Readonly<Record<string, Role>>>(),
    isScimEnabled: p.boolean(),
    createdAt: instant(),
    updatedAt: instant(),
  },
})

/** An assertion that has opened a session, until it would have expired anyway: none opens two. */
export const ConsumedAssertionEntity = defineEntity({
  name: 'ConsumedAssertion',
  tableName: 'consumed_assertions',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    assertionId: p.text().primary(),
    expiresAt: instant(),
  },
  indexes: [{ properties: ['expiresAt'] }],
})

export type SsoConfig = InferEntity<typeof SsoConfigEntity>
