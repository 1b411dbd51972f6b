import { p, type InferEntity } from '@mikro-orm/core'
import { DOCUMENT_ORIGINS, FILE_STATES, INDEX_STATES } from '../../../core/compile/documents/states.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** One call that puts files into a namespace, from the request to the last file. */
export const DocumentIndexEntity = defineTable({
  name: 'DocumentIndex',
  tableName: 'document_indexes',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    state: p.enum(INDEX_STATES),
    /** True to read unchanged files again. */
    force: p.boolean(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    /** The provider's model that the call asked vectors of, or the model of this machine that made them. */
    embeddingModel: p.text().nullable(),
    /** Why chunks have no vectors; null when they have, and of this machine's before it is known. */
    vectorsNote: p.text().nullable(),
    createdAt: instant(),
    startedAt: instant().nullable(),
    finishedAt: instant().nullable(),
  },
  indexes: [
    { name: 'document_indexes_newest', properties: ['tenantId', 'createdAt', 'id'] },
    { name: 'document_indexes_unfinished', properties: ['id'], where: 'finished_at is null' },
    { name: 'document_indexes_unfinished_of_tenant', properties: ['tenantId'], where: 'finished_at is null' },
    { name: 'document_indexes_swept', properties: ['finishedAt'], where: 'finished_at is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'document_indexes',
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        state: true,
        force: true,
        errorCode: true,
        errorMessage: true,
        embeddingModel: true,
        vectorsNote: true,
        createdAt: true,
        startedAt: true,
        finishedAt: true,
      },
    },
    sweeps: [
      {
        name: 'documentIndexes',
        summary: 'Remove finished indexing jobs of documents',
        by: 'finishedAt',
        keptDays: 'document_index_days',
      },
    ],
  },
})

export type DocumentIndex = InferEntity<typeof DocumentIndexEntity>

/** A file of such a call and what became of it. */
export const DocumentIndexFileEntity = defineTable({
  name: 'DocumentIndexFile',
  tableName: 'document_index_files',
  properties: {
    indexId: () => p.manyToOne(DocumentIndexEntity).mapToPk().fieldName('index_id').primary().deleteRule('cascade'),
    /** Counted from 0, in the order of the request. */
    place: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    path: p.text(),
    origin: p.enum(DOCUMENT_ORIGINS),
    state: p.enum(FILE_STATES),
    /** Why it was skipped or failed. */
    reason: p.text().nullable(),
    modality: p.text().nullable(),
    sizeBytes: bigCount().nullable(),
    /** An uploaded file until it is done with. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
  },
  indexes: [
    { name: 'document_index_files_of_tenant', properties: ['tenantId', 'indexId', 'place'] },
    { name: 'document_index_files_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'document_index_files',
      key: ['indexId', 'place'],
      columns: {
        indexId: true,
        place: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        path: true,
        origin: true,
        state: true,
        reason: true,
        modality: true,
        sizeBytes: true,
        blobSha256: 'the bytes of a file that waits',
      },
    },
    blobs: ['blobSha256'],
    sweeps: { none: 'removed with its job' },
  },
})

export type DocumentIndexFile = InferEntity<typeof DocumentIndexFileEntity>
