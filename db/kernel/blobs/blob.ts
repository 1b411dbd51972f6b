import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { bigCount, bytes, instant } from '../tables/columns.ts'

/**
 * A content-addressed blob. Its bytes lie under a storage id of their own, so that they can be written before the
 * digest is known and become visible by the insertion of this one row.
 */
export const BlobEntity = defineTable({
  name: 'Blob',
  tableName: 'blobs',
  properties: {
    sha256: p.text().$type<Sha256>().primary(),
    storageId: p.uuid().unique(),
    sizeBytes: bigCount(),
    createdAt: instant(),
    /** When these bytes were last stored. A blob is not collected for some minutes after it. */
    keptAt: instant().defaultRaw('now()'),
    /** When the collector looks next whether anything refers to it. Storing the same bytes again puts it off. */
    reviewAt: instant(),
  },
  indexes: [{ properties: ['reviewAt'] }],
  facts: {
    tenant: {
      shared: 'bytes by their digest: `examples` holds those of examples, archives come from their artifacts',
      // An upload is published in the transaction of the row that names it.
      grants: ['select', 'insert', 'update'],
    },
  },
})

/** One piece of a blob, or of an upload that is not published yet. All but the last are of the same size. */
export const BlobChunkEntity = defineTable({
  name: 'BlobChunk',
  tableName: 'blob_chunks',
  properties: {
    storageId: p.uuid().primary(),
    seq: p.integer().primary(),
    data: bytes(),
  },
  facts: {
    tenant: { shared: 'bytes by their digest' },
  },
})

/** An upload on its way: what a crash leaves behind is found here and can be collected. */
export const BlobUploadEntity = defineTable({
  name: 'BlobUpload',
  tableName: 'blob_uploads',
  properties: {
    storageId: p.uuid().primary(),
    touchedAt: instant(),
    /** The tenant whose allowance holds `reservedBytes` for it; null for what the service stores by itself. */
    tenantId: p.text().nullable(),
    reservedBytes: bigCount().defaultRaw('0'),
  },
  indexes: [
    { properties: ['touchedAt'] },
    { name: 'blob_uploads_of_tenant', properties: ['tenantId'], where: 'tenant_id is not null' },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'bytes on their way to a job of the workspace; its token has ended' },
    purge: { stays: 'bytes on their way, which are collected within minutes' },
    export: { leftOut: 'bytes on their way' },
  },
})

/** Chunks that belong to no blob and no upload any more; they are removed a few at a time. */
export const BlobDiscardEntity = defineTable({
  name: 'BlobDiscard',
  tableName: 'blob_discards',
  properties: {
    storageId: p.uuid().primary(),
    discardedAt: instant(),
  },
  facts: {
    tenant: { shared: 'bytes on their way out', grants: ['insert'] },
  },
})
