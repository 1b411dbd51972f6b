import { p } from '@mikro-orm/core'
import { instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { CompileJobEntity } from '../../compile/jobs/compile-job.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A compile of the approved captures of a cluster; `compile_captures` names them. */
export const ClusterCompileEntity = defineTable({
  name: 'ClusterCompile',
  tableName: 'cluster_compiles',
  properties: {
    jobId: () => p.manyToOne(CompileJobEntity).mapToPk().fieldName('job_id').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    /** A signature of the cluster. */
    signature: p.text(),
    createdAt: instant(),
  },
  indexes: [{ name: 'cluster_compiles_of_cluster', properties: ['tenantId', 'namespace', 'signature', 'createdAt'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'cluster_compiles',
      key: ['namespace', 'signature', 'createdAt', 'jobId'],
      columns: {
        jobId: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        signature: true,
        createdAt: true,
      },
    },
    sweeps: { none: 'one row for a compile, kept with it' },
  },
})
