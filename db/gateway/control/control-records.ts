import { p, type InferEntity } from '@mikro-orm/core'
import { defineTable } from '../../kernel/tables/define-table.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { document, instant } from '../../kernel/tables/columns.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** An event captured from a customer's source, redacted, with the signed receipt of the reply. */
export const ControlEventEntity = defineTable({
  name: 'ControlEvent',
  tableName: 'control_events',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    sourceId: p.text(),
    namespace: p.text(),
    envelope: document<JsonObject>(),
    /** After redaction. */
    content: document<JsonObject>(),
    receipt: document<JsonObject>(),
    at: instant(),
  },
  indexes: [
    { name: 'control_events_newest', properties: ['tenantId', 'at', 'id'] },
    // Includes all columns that counts need, so that they do not read the events.
    { name: 'control_events_by_namespace', properties: ['tenantId', 'namespace', 'at', 'sourceId'] },
    {
      name: 'control_events_redacted',
      expression: `create index "control_events_redacted" on "control_events" ("tenant_id", "at", "namespace") where envelope ->> 'redaction_result' like 'redacted:%'`,
    },
    { name: 'control_events_by_age', properties: ['at'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'observations',
      key: ['at', 'id'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        sourceId: true,
        namespace: true,
        envelope: true,
        content: true,
        receipt: true,
        at: true,
      },
    },
    sweeps: [
      {
        name: 'controlEvents',
        summary: 'Remove old events of the control center',
        by: 'at',
        keptDays: 'control_event_days',
      },
    ],
  },
})

/** A valid adapter manifest; a version of it never changes. */
export const AdapterManifestEntity = defineTable({
  name: 'AdapterManifest',
  tableName: 'adapter_manifests',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    adapterId: p.text(),
    version: p.text(),
    hash: p.text(),
    manifest: document<JsonObject>(),
    report: document<JsonObject>(),
    createdAt: instant(),
  },
  uniques: [{ name: 'adapter_manifests_one_version', properties: ['tenantId', 'adapterId', 'version'] }],
  facts: {
    tenant: 'row',
    merge: {
      moves: `update adapter_manifests m set tenant_id = $2 where tenant_id = $1 and not exists (
        select 1 from adapter_manifests o
        where o.tenant_id = $2 and o.adapter_id = m.adapter_id and o.version = m.version)`,
    },
    purge: 'goes',
    export: {
      section: 'adapter_manifests',
      key: ['adapterId', 'version'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        adapterId: true,
        version: true,
        hash: true,
        manifest: true,
        report: true,
        createdAt: true,
      },
    },
  },
})

/** A tenant's declaration of one export of its data. */
export const ExportDeclarationEntity = defineTable({
  name: 'ExportDeclaration',
  tableName: 'export_declarations',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    destinationId: p.text(),
    destinationClass: p.text(),
    state: p.enum(['declared'] as const),
    ledger: document<JsonObject>(),
    createdAt: instant(),
  },
  indexes: [{ name: 'export_declarations_newest', properties: ['tenantId', 'createdAt', 'id'] }],
  facts: {
    tenant: 'row',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'export_declarations',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        destinationId: true,
        destinationClass: true,
        state: true,
        ledger: true,
        createdAt: true,
      },
    },
  },
})

export type ControlEvent = InferEntity<typeof ControlEventEntity>
export type AdapterManifest = InferEntity<typeof AdapterManifestEntity>
export type ExportDeclaration = InferEntity<typeof ExportDeclarationEntity>
