import { p } from '@mikro-orm/core'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'
import { DatasetEntity } from './dataset.ts'

/** A file that a version is built from: uploaded, or in the workspace. */
export const DatasetFileEntity = defineTable({
  name: 'DatasetFile',
  tableName: 'dataset_files',
  properties: {
    datasetId: () => p.manyToOne(DatasetEntity).mapToPk().fieldName('dataset_id').primary().deleteRule('cascade'),
    version: p.integer().primary(),
    /** Counted from 0, in the order of the request. */
    place: p.integer().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    /** Its name as it was sent, or its path in the workspace. */
    name: p.text(),
    isWorkspace: p.boolean(),
    sizeBytes: bigCount().nullable(),
    /** Its bytes until the version is built. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
  },
  indexes: [
    { name: 'dataset_files_of_tenant', properties: ['tenantId', 'datasetId', 'version', 'place'] },
    { name: 'dataset_files_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'dataset_files',
      key: ['datasetId', 'version', 'place'],
      columns: {
        datasetId: true,
        version: true,
        place: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        name: true,
        isWorkspace: true,
        sizeBytes: true,
        blobSha256: 'the bytes of a file that waits',
      },
    },
    blobs: ['blobSha256'],
    sweeps: { none: 'kept with its version, without its bytes' },
  },
})
