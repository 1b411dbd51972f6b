import { defineEntity, p } from '@mikro-orm/core'
import { bytes, instant } from '../columns.ts'
import { ApiKeyEntity } from '../keys/api-key.ts'
import { TenantEntity } from '../tenants/tenant.ts'

/** A browser session. It was opened with a key, has that key's rights, and dies with it. */
export const SessionEntity = defineEntity({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** SHA-256 of the cookie's value, which has 256 random bits: no salt or stretching is needed. */
    tokenHash: bytes().unique(),
    sourceKeyId: () => p.manyToOne(ApiKeyEntity).mapToPk().fieldName('source_key_id'),
    createdAt: instant(),
    lastSeenAt: instant(),
    /** Rolls forward while the session is used. */
    expiresAt: instant(),
    /** Never rolls. */
    endsAt: instant(),
    closedAt: instant().nullable(),
  },
  indexes: [{ properties: ['sourceKeyId'] }, { properties: ['tenantId', 'createdAt'] }, { properties: ['expiresAt'] }],
})
