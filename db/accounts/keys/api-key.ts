import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { bytes, document, instant } from '../../kernel/tables/columns.ts'
import { MemberEntity } from '../members/member.ts'
import { TeamEntity } from '../teams/team.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** Cost parameters of scrypt (RFC 7914), kept beside each hash so that they can change for new keys. */
export interface ScryptParameters {
  readonly N: number
  readonly r: number
  readonly p: number
}

/**
 * Kind of a key: the tenant's primary one, a scoped one, the token of an anonymous workspace, or SCIM's bearer token.
 */
export const KEY_KINDS = ['primary', 'scoped', 'anonymous', 'scim'] as const
/** One of them. */
export type KeyKind = (typeof KEY_KINDS)[number]

/** A credential of a tenant; the secret half is kept only as a salted scrypt hash. */
export const ApiKeyEntity = defineTable({
  name: 'ApiKey',
  tableName: 'api_keys',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    kind: p.enum(KEY_KINDS),
    /** Member that holds it; null for a key without a holder. */
    memberId: () => p.manyToOne(MemberEntity).mapToPk().fieldName('member_id').nullable().deleteRule('no action'),
    /** Team that its usage is charged to. */
    teamId: () => p.manyToOne(TeamEntity).mapToPk().fieldName('team_id').nullable().deleteRule('set null'),
    lookupId: p.text().unique(),
    salt: bytes(),
    hash: bytes(),
    scrypt: document<ScryptParameters>(),
    scopes: document<readonly string[]>(),
    label: p.text().nullable(),
    createdAt: instant(),
    expiresAt: instant().nullable(),
    revokedAt: instant().nullable(),
    /** Accurate to some seconds. */
    lastUsedAt: instant().nullable(),
  },
  indexes: [{ properties: ['tenantId', 'createdAt'] }, { properties: ['memberId'] }, { properties: ['teamId'] }],
  uniques: [
    { name: 'api_keys_one_primary', properties: ['tenantId'], where: "kind = 'primary' and revoked_at is null" },
    { name: 'api_keys_one_scim', properties: ['tenantId'], where: "kind = 'scim' and revoked_at is null" },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'the token of the workspace ends with it; keys of the other tenant are never touched' },
    // The token of an expired workspace still resolves, for its own error.
    purge: { goes: `kind <> 'anonymous'` },
    export: {
      section: 'keys',
      computed: {
        prefix: `case kind when 'anonymous' then 'kao_' when 'scim' then 'scim_' else 'ks_' end || lookup_id`,
      },
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        kind: true,
        memberId: true,
        teamId: true,
        lookupId: 'part of `prefix`',
        salt: 'what the key is checked by',
        hash: 'what the key is checked by',
        scrypt: 'what the key is checked by',
        scopes: true,
        label: true,
        createdAt: true,
        expiresAt: true,
        revokedAt: true,
        lastUsedAt: true,
      },
    },
    sweeps: { none: 'ended keys name the callers of ledger lines; `scoped_keys_per_tenant` bounds the others' },
  },
})

export type ApiKey = InferEntity<typeof ApiKeyEntity>

/** The columns of a key, by the names of `ApiKey`. */
export const KEY_COLUMNS = [
  'id',
  'tenant_id as tenantId',
  'kind',
  'member_id as memberId',
  'team_id as teamId',
  'lookup_id as lookupId',
  'salt',
  'hash',
  'scrypt',
  'scopes',
  'label',
  'created_at as createdAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'last_used_at as lastUsedAt',
] as const
