import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { document, instant } from '../tables/columns.ts'
import { TenantEntity } from '../tenant/tenant.ts'

/** A workflow that must be started or signalled. Deleted once Temporal has accepted the call. */
export const OutboxRowEntity = defineTable({
  name: 'OutboxRow',
  tableName: 'outbox',
  properties: {
    workflowId: p.text().primary(),
    /** Name of the workflow family. */
    family: p.text(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').nullable().deleteRule('no action'),
    input: document<object>(),
    /** Grows with each request: a request that arrives while the previous one is carried out keeps its row. */
    version: p.integer(),
    attempts: p.integer(),
    createdAt: instant(),
    /** Due time. */
    dueAt: instant(),
  },
  indexes: [
    { name: 'outbox_due', properties: ['family', 'dueAt'] },
    { name: 'outbox_of_tenant', properties: ['tenantId'] },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'work under way for the workspace itself' },
    // Work that outlives the data of its tenant, such as its deletion, is removed when it is done.
    purge: { goes: `family in ('compile', 'export')` },
    export: { leftOut: 'pending starts of workflows' },
  },
})
