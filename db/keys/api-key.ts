import { defineEntity, p, type InferEntity } from '@mikro-orm/core'
import { bytes, document, instant } from '../columns.ts'
import { TenantEntity } from '../tenants/tenant.ts'

/** Cost parameters of scrypt (RFC 7914), kept beside each hash so that they can change for new keys. */
export interface ScryptParameters {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** A credential of a tenant; the secret half is kept only as a salted scrypt hash. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    kind: p.enum(['primary', 'scoped'] as const),
    lookupId: p.text().unique(),
    salt: bytes(),
    hash: bytes(),
    scrypt: document<ScryptParameters>(),
    scopes: document<readonly string[]>(),
    label: p.text().nullable(),
    createdAt: instant(),
    expiresAt: instant().nullable(),
    revokedAt: instant().nullable(),
  },
  indexes: [{ properties: ['tenantId', 'createdAt'] }],
})

export type ApiKey = InferEntity<typeof ApiKeyEntity>
