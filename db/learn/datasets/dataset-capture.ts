import { p } from '@mikro-orm/core'
import { bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import { DatasetEntity } from './dataset.ts'

/** A capture that is a row of a dataset, in one version or more. Of captures with one content each has a row here. */
export const DatasetCaptureEntity = defineTable({
  name: 'DatasetCapture',
  tableName: 'dataset_captures',
  properties: {
    datasetId: () => p.manyToOne(DatasetEntity).mapToPk().fieldName('dataset_id').primary().deleteRule('cascade'),
    captureId: p.text().collation('C').primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    /** Hash of the row, which is its leaf in the trees of the versions. */
    rowHash: bytes(),
    /** When the capture was forgotten. */
    forgottenAt: instant().nullable(),
    /** When its row was erased from every version. */
    erasedAt: instant().nullable(),
  },
  indexes: [
    { name: 'dataset_captures_by_key', properties: ['tenantId', 'datasetId', 'captureId'] },
    { name: 'dataset_captures_by_capture', properties: ['tenantId', 'captureId'] },
    {
      name: 'dataset_captures_to_erase',
      properties: ['datasetId', 'tenantId'],
      where: 'forgotten_at is not null and erased_at is null',
    },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'dataset_captures',
      key: ['datasetId', 'captureId'],
      columns: {
        datasetId: true,
        captureId: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        rowHash: 'same as the hash of the row',
        forgottenAt: true,
        erasedAt: 'a time of the chore',
      },
    },
    sweeps: { none: 'kept with its dataset: it names what a later forgetting must reach' },
  },
})
