import { p } from '@mikro-orm/core'
import { AUTH_METHODS } from '../../../core/accounts/auth-methods.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { ApiKeyEntity } from '../keys/api-key.ts'
import { MemberEntity } from '../members/member.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * A browser session. One that was opened with a key has that key's rights and dies with it; any other has those of its
 * member's role.
 */
export const SessionEntity = defineTable({
  name: 'Session',
  tableName: 'sessions',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** SHA-256 of the cookie's value, which has 256 random bits: no salt or stretching is needed. */
    tokenHash: bytes().unique(),
    sourceKeyId: () =>
      p.manyToOne(ApiKeyEntity).mapToPk().fieldName('source_key_id').nullable().deleteRule('no action'),
    memberId: () => p.manyToOne(MemberEntity).mapToPk().fieldName('member_id').nullable().deleteRule('no action'),
    authMethod: p.enum(AUTH_METHODS).default('key'),
    /** Its origin, for its owner's list. */
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
    createdAt: instant(),
    lastSeenAt: instant(),
    /** Rolls forward while the session is used. */
    expiresAt: instant(),
    /** Never rolls. */
    endsAt: instant(),
    closedAt: instant().nullable(),
  },
  indexes: [
    { properties: ['sourceKeyId'] },
    { properties: ['memberId'] },
    { properties: ['tenantId', 'createdAt'] },
    { properties: ['expiresAt'] },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'they were opened with the token and end with it' },
    purge: 'goes',
    export: {
      section: 'sessions',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        tokenHash: 'what the session is checked by',
        sourceKeyId: true,
        memberId: true,
        authMethod: true,
        ip: true,
        userAgent: true,
        createdAt: true,
        lastSeenAt: true,
        expiresAt: true,
        endsAt: true,
        closedAt: true,
      },
    },
    sweeps: [{ name: 'sessions', summary: 'Remove expired sessions', by: 'expiresAt' }],
  },
})
