import { p } from '@mikro-orm/core'
import { BlobEntity } from '../../../kernel/blobs/blob.ts'
import { bigCount } from '../../../kernel/tables/columns.ts'
import { defineTable } from '../../../kernel/tables/define-table.ts'
import { timedId } from '../capture.ts'

/** A file of a capture, such as an image: its bytes are a blob. */
export const CaptureMediaEntity = defineTable({
  name: 'CaptureMedia',
  tableName: 'capture_media',
  properties: {
    captureId: timedId().primary(),
    /** Place among the files of the capture, from 0. */
    place: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    kind: p.enum(['image', 'audio', 'video', 'blob'] as const),
    mime: p.text(),
    filename: p.text().nullable(),
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').deleteRule('no action'),
    sizeBytes: bigCount(),
  },
  indexes: [
    { name: 'capture_media_of_tenant', properties: ['tenantId', 'captureId'] },
    { name: 'capture_media_by_blob', properties: ['blobSha256'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    blobs: ['blobSha256'],
    export: {
      section: 'capture_media',
      key: ['captureId', 'place'],
      columns: {
        captureId: true,
        place: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        kind: true,
        mime: true,
        filename: true,
        blobSha256: true,
        sizeBytes: true,
      },
    },
    sweeps: { none: 'removed with the month of its capture' },
  },
})
