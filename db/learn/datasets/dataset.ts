import { p, type InferEntity } from '@mikro-orm/core'
import { instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A dataset: a name for versions of rows. */
export const DatasetEntity = defineTable({
  name: 'Dataset',
  tableName: 'datasets',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    name: p.text(),
    /** The newest version that is ready; 0 for none. */
    version: p.integer(),
    /** Versions that were begun. */
    versionCount: p.integer(),
    createdAt: instant(),
  },
  indexes: [{ name: 'datasets_newest', properties: ['tenantId', 'createdAt', 'id'] }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'datasets',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        name: true,
        version: true,
        versionCount: true,
        createdAt: true,
      },
    },
    sweeps: { none: 'kept until its owner deletes it; datasets_per_tenant bounds them' },
  },
})

export type Dataset = InferEntity<typeof DatasetEntity>
