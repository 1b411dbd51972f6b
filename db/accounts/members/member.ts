import { p, type InferEntity } from '@mikro-orm/core'
import { MEMBER_SOURCES } from '../../../core/accounts/member-sources.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { ROLES } from '../../../core/accounts/roles.ts'
import { document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A person in a tenant. One person in two tenants is two members. */
export const MemberEntity = defineTable({
  name: 'Member',
  tableName: 'members',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    /** Lower-case. */
    email: p.text(),
    displayName: p.text().nullable(),
    role: p.enum(ROLES),
    state: p.enum(['active', 'deactivated'] as const),
    source: p.enum(MEMBER_SOURCES),
    /** The customer's identity provider's name for this person. */
    externalId: p.text().nullable(),
    /** SCIM attributes beyond the columns; null for a member that SCIM does not know. */
    scim: document<JsonObject>().nullable(),
    isEmailVerified: p.boolean(),
    createdAt: instant(),
    updatedAt: instant(),
    deactivatedAt: instant().nullable(),
  },
  indexes: [
    { name: 'members_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { properties: ['email'] },
    { properties: ['tenantId', 'externalId'] },
  ],
  uniques: [{ properties: ['tenantId', 'email'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has none' },
    purge: 'goes',
    export: {
      section: 'members',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        email: true,
        displayName: true,
        role: true,
        state: true,
        source: true,
        externalId: true,
        scim: true,
        isEmailVerified: true,
        createdAt: true,
        updatedAt: true,
        deactivatedAt: true,
      },
    },
  },
})

export type Member = InferEntity<typeof MemberEntity>
