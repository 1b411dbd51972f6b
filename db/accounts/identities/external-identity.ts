import { p } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { instant } from '../../kernel/tables/columns.ts'
import { MemberEntity } from '../members/member.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * Links a person of an external provider to a member here. Pinned by the provider's own id for them, never by address.
 */
export const ExternalIdentityEntity = defineTable({
  name: 'ExternalIdentity',
  tableName: 'external_identities',
  properties: {
    /** `google`, `github`, or `oidc:` or `saml:` and the id of the tenant that owns the provider. */
    provider: p.text().primary(),
    subject: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    memberId: () => p.manyToOne(MemberEntity).mapToPk().fieldName('member_id').deleteRule('no action'),
    email: p.text(),
    createdAt: instant(),
    lastUsedAt: instant(),
  },
  indexes: [{ properties: ['tenantId'] }, { properties: ['memberId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'an anonymous workspace has none' },
    purge: 'goes',
    export: {
      section: 'identities',
      key: ['provider', 'subject'],
      columns: {
        provider: true,
        subject: true,
        tenantId: 'the document is of one tenant',
        memberId: true,
        email: true,
        createdAt: true,
        lastUsedAt: true,
      },
    },
  },
})
