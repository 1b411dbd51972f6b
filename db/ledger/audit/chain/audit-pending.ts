import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import { PLAN_IDS } from '../../../../core/kernel/tenant/plans.ts'
import { bigCount, document, instant } from '../../../kernel/tables/columns.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'

/** A line of the ledger that was committed with its change and waits to be chained. */
export const AuditPendingEntity = defineTable({
  name: 'AuditPending',
  tableName: 'audit_pending',
  properties: {
    id: p.text().primary(),
    /** Order of chaining. */
    position: bigCount().autoincrement(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    at: instant(),
    actor: p.text(),
    action: p.text(),
    target: p.text().nullable(),
    requestId: p.text(),
    payload: document<JsonObject>(),
    /** No foreign key: every transaction that writes a line would lock the one row of the key. */
    keyId: p.text(),
    /** Over all columns but the position. */
    mac: p.text(),
  },
  indexes: [{ properties: ['tenantId', 'position'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'lines waiting to enter that chain' },
    purge: { stays: 'lines waiting to enter that ledger' },
    export: { leftOut: 'lines waiting to enter `audit`; they are chained before the export begins' },
  },
})

/** A signed statement of the state of a tenant's chain at one entry. */
export const AuditCheckpointEntity = defineTable({
  name: 'AuditCheckpoint',
  tableName: 'audit_checkpoints',
  properties: {
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').primary(),
    seq: bigCount().primary(),
    id: p.text().unique(),
    hash: p.text(),
    at: instant(),
    kid: p.text(),
    signature: p.text(),
    /** The plan under which the entries before it were written; their minimum retention. */
    plan: p.enum(PLAN_IDS),
    /** When the entries up to this one were removed; null while they exist. */
    prunedThroughAt: instant().nullable(),
  },
  facts: {
    tenant: 'row',
    merge: { stays: 'signed for that chain' },
    purge: { stays: 'signed for that ledger' },
    export: {
      section: 'audit_checkpoints',
      key: ['seq'],
      columns: {
        tenantId: 'the document is of one tenant',
        seq: true,
        id: true,
        hash: true,
        at: true,
        kid: true,
        signature: true,
        plan: true,
        prunedThroughAt: true,
      },
    },
    sweeps: { none: 'removed with the entries before them' },
  },
})
