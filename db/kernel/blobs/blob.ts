import { p } from '@mikro-orm/core'
import { defineTable } from '../tables/define-table.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { bigCount, bytes, instant } from '../tables/columns.ts'

/**
 * A content-addressed blob. Its bytes are stored under a separate storage id, so that they can be written before the
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
    /** When the collector next checks for references. Storing the same bytes again postpones it. */
    reviewAt: instant(),
  },
  indexes: [{ properties: ['reviewAt'] }],
  facts: {
    tenant: {
      shared: 'bytes by their digest: `examples` holds those of examples, archives come from their artifacts',
      // An upload is published in the transaction of the row that names it.
      grants: ['select', 'insert', 'update'],
    },
    sweeps: [
      {
        name: 'orphanedBlobs',
        summary: 'Unpublish blobs that no row names',
        by: { special: 'removes the blobs that no fact `blobs` holds' },
      },
    ],
  },
})

/** One piece of a blob, or of an unpublished upload. All but the last have the same size. */
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
    sweeps: { none: 'removed with the row of `blob_discards`' },
  },
})

/** An upload under way: after a crash its remains are found here and collected. */
export const BlobUploadEntity = defineTable({
  name: 'BlobUpload',
  tableName: 'blob_uploads',
  properties: {
    storageId: p.uuid().primary(),
    touchedAt: instant(),
    /** The tenant whose allowance holds `reservedBytes` for it; null for bytes that the service stores itself. */
    tenantId: p.text().nullable(),
    reservedBytes: bigCount().defaultRaw('0'),
  },
  indexes: [
    { properties: ['touchedAt'] },
    { name: 'blob_uploads_of_tenant', properties: ['tenantId'], where: 'tenant_id is not null' },
  ],
  facts: {
    tenant: 'row',
    merge: { stays: 'uploads for a job of the workspace; its token has ended' },
    purge: { stays: 'uploads under way, which are collected within minutes' },
    export: { leftOut: 'uploads under way' },
    sweeps: [
      {
        name: 'unfinishedUploads',
        summary: 'Discard uploads of dead processes',
        by: { special: 'discards the uploaded bytes as well' },
      },
    ],
  },
})

/** Chunks without a blob or upload; they are removed a few at a time. */
export const BlobDiscardEntity = defineTable({
  name: 'BlobDiscard',
  tableName: 'blob_discards',
  properties: {
    storageId: p.uuid().primary(),
    discardedAt: instant(),
  },
  facts: {
    tenant: { shared: 'bytes about to be removed', grants: ['insert'] },
    sweeps: [
      {
        name: 'chunks',
        summary: 'Remove the bytes of unpublished blobs',
        by: { special: 'removes chunks first, a bounded number at a time' },
      },
    ],
  },
})
