import { p } from '@mikro-orm/core'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { instant } from '../../../kernel/tables/columns.ts'
import { TenantEntity } from '../../../kernel/tenant/tenant.ts'
import { CompileJobEntity } from '../compile-job.ts'

/** The outbox: a workflow that must be started. Written with the admission of its job, deleted once it runs. */
export const WorkflowStartEntity = defineTable({
  name: 'WorkflowStart',
  tableName: 'outbox',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    createdAt: instant(),
    attempts: p.integer(),
    /** Not before this time. */
    dueAt: instant(),
  },
  indexes: [{ properties: ['dueAt'] }],
  facts: {
    tenant: 'row',
    merge: { stays: 'empty while no job is unfinished, and a workspace with such a job is not merged' },
    purge: 'goes',
    export: { leftOut: 'starts of workflows that are under way' },
  },
})
