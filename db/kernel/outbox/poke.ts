import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import { instant } from '../tables/columns.ts'
import { TenantEntity } from '../tenant/tenant.ts'

/** A workflow that must be started, or told to look at its rows again. Deleted once that has happened. */
export const PokeEntity = defineTable({
  name: 'Poke',
  tableName: 'workflow_starts',
  properties: {
    workflowId: p.text().primary(),
    family: p.text(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id').nullable().deleteRule('no action'),
    /** Grows with each request, so that one which came meanwhile is not forgotten. */
    version: p.integer(),
    attempts: p.integer(),
    createdAt: instant(),
    /** Not before this time. */
    dueAt: instant(),
  },
  indexes: [{ properties: ['dueAt'] }, { properties: ['tenantId'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'what is under way for the workspace itself' },
    purge: { stays: 'work that is under way, which goes when it is done' },
    export: { leftOut: 'starts of workflows that are under way' },
  },
})
