import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { bigCount, document, instant } from '../../kernel/tables/columns.ts'
import { ServiceSecretEntity } from '../../kernel/secrets/service-secret.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One line of a tenant's audit ledger, chained to the line before it. */
export const AuditEntryEntity = defineTable({
  name: 'AuditEntry',
  tableName: 'audit_entries',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    seq: bigCount().primary(),
    id: p.text().unique(),
    at: instant(),
    /** The actor's kind and id, as `key:key_…`, `session:ses_…`, `system:<name>`, `anonymous`. */
    actor: p.text(),
    action: p.text(),
    target: p.text().nullable(),
    requestId: p.text(),
    payload: document<JsonObject>(),
    keyId: () => p.manyToOne(ServiceSecretEntity).mapToPk().fieldName('key_id'),
    prevHash: p.text(),
    hash: p.text(),
  },
  indexes: [
    { name: 'audit_entries_by_time', properties: ['tenantId', 'at', 'id'] },
    { name: 'audit_entries_newest', properties: ['at', 'id'] },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'a ledger is chained per tenant; both get a line about the merge' },
    purge: { stays: 'the ledger names actions by ids; its lines are removed at the end of their own retention' },
    export: {
      section: 'audit',
      key: ['seq'],
      columns: {
        tenantId: 'the document is of one tenant',
        seq: true,
        id: true,
        at: true,
        actor: true,
        action: true,
        target: true,
        requestId: true,
        payload: true,
        keyId: true,
        prevHash: true,
        hash: true,
      },
    },
    sweeps: { none: 'the workflow `ledger` removes entries after the days of their plan' },
  },
})

/** The head of a tenant's chain; its row lock orders the appends of one tenant. */
export const AuditHeadEntity = defineTable({
  name: 'AuditHead',
  tableName: 'audit_heads',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    seq: bigCount(),
    hash: p.text(),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'the head of that chain' },
    purge: { stays: 'the head of that ledger' },
    export: { leftOut: 'where the chain ends: the last line of `audit` says it' },
  },
})

export type AuditEntry = InferEntity<typeof AuditEntryEntity>
