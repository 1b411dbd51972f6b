import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { MemberEntity } from '../../accounts/members/member.ts'
import { TeamEntity } from '../../accounts/teams/team.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/**
 * A customer's own key at a model provider, of one member or of a team. The value never leaves the vault in clear text.
 */
export const ProviderKeyEntity = defineTable({
  name: 'ProviderKey',
  tableName: 'provider_keys',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    scope: p.enum(['member', 'team'] as const),
    /** The member or the team. */
    holderId: p.text(),
    memberId: () => p.manyToOne(MemberEntity).mapToPk().fieldName('member_id').nullable().deleteRule('no action'),
    teamId: () => p.manyToOne(TeamEntity).mapToPk().fieldName('team_id').nullable().deleteRule('cascade'),
    provider: p.text(),
    label: p.text().nullable(),
    /** Its first characters, for its owner. */
    prefix: p.text(),
    /** HMAC under a key of the service: distinguishes two values and reveals neither. */
    fingerprint: p.text(),
    sealedValue: bytes(),
    createdAt: instant(),
    updatedAt: instant(),
    lastUsedAt: instant().nullable(),
  },
  indexes: [{ properties: ['memberId'] }, { properties: ['teamId'] }],
  uniques: [{ name: 'provider_keys_one_each', properties: ['tenantId', 'scope', 'holderId', 'provider'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'sealed for the workspace; its token may not store any' },
    purge: 'goes',
    export: {
      section: 'provider_keys',
      key: ['scope', 'holderId', 'provider'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        scope: true,
        holderId: true,
        memberId: true,
        teamId: true,
        provider: true,
        label: true,
        prefix: true,
        fingerprint: 'tells whether two values are equal',
        sealedValue: 'a secret',
        createdAt: true,
        updatedAt: true,
        lastUsedAt: true,
      },
    },
    sealed: { sealedValue: { purpose: `'provider'`, id: `id || '|' || provider` } },
  },
})

export type ProviderKey = InferEntity<typeof ProviderKeyEntity>
