import { p, type InferEntity } from '@mikro-orm/core'
import { DOCUMENT_ORIGINS } from '../../../core/compile/documents/states.ts'
import { MODALITIES } from '../../../core/compile/documents/modality.ts'
import { BlobEntity } from '../../kernel/blobs/blob.ts'
import { bigCount, bytes, instant } from '../../kernel/tables/columns.ts'
import { defineTable } from '../../kernel/tables/define-table.ts'
import { TenantEntity } from '../../kernel/tenant/tenant.ts'

/** A file of a namespace that questions are answered from. */
export const DocumentEntity = defineTable({
  name: 'Document',
  tableName: 'documents',
  properties: {
    id: p.text().primary(),
    tenantId: () => p.manyToOne(TenantEntity).mapToPk().fieldName('tenant_id'),
    namespace: p.text(),
    /** Its path in the workspace, or the name under which it was uploaded. */
    path: p.text(),
    origin: p.enum(DOCUMENT_ORIGINS),
    /** Digest of the file. */
    sha256: p.text(),
    sizeBytes: bigCount(),
    modality: p.enum(MODALITIES),
    /** False for a file without a text that could be read; `reason` says why. */
    contentExtracted: p.boolean(),
    reason: p.text().nullable(),
    /** Length of its text in UTF-16 code units. */
    characters: p.integer(),
    chunkCount: p.integer(),
    /** Number of terms of all its chunks: their mean is a part of BM25. */
    termCount: bigCount(),
    /** The model whose vectors its chunks have; null without vectors. */
    embeddingModel: p.text().nullable(),
    /** Facts of the file on the disk when it was read: while they are the same, it is not read again. Null for an upload. */
    stamp: p.text().nullable(),
    /** The file as it was uploaded; null for one of the workspace, which stays there. */
    blobSha256: () => p.manyToOne(BlobEntity).mapToPk().fieldName('blob_sha256').nullable().deleteRule('no action'),
    indexedAt: instant(),
  },
  uniques: [{ name: 'documents_of_namespace', properties: ['tenantId', 'namespace', 'path'] }],
  indexes: [{ name: 'documents_by_blob', properties: ['blobSha256'], where: 'blob_sha256 is not null' }],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: {
      moves: `update documents d set tenant_id = $2, path = case when exists (
          select 1 from documents o where o.tenant_id = $2 and o.namespace = d.namespace and o.path = d.path)
        then d.path || ' (' || d.id || ')' else d.path end where tenant_id = $1`,
    },
    purge: 'goes',
    export: {
      section: 'documents',
      key: ['namespace', 'path'],
      columns: {
        id: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        path: true,
        origin: true,
        sha256: true,
        sizeBytes: true,
        modality: true,
        contentExtracted: true,
        reason: true,
        characters: true,
        chunkCount: true,
        termCount: 'a part of the search index',
        embeddingModel: true,
        stamp: 'facts of the disk of the operator',
        blobSha256: 'same as `sha256`',
        indexedAt: true,
      },
    },
    blobs: ['blobSha256'],
    sweeps: { none: 'kept until its owner deletes it; bounded by `documents_per_tenant`' },
  },
})

export type DocumentRow = InferEntity<typeof DocumentEntity>

/** A part of a document, as it is found. */
export const DocumentChunkEntity = defineTable({
  name: 'DocumentChunk',
  tableName: 'document_chunks',
  properties: {
    documentId: () => p.manyToOne(DocumentEntity).mapToPk().fieldName('document_id').primary().deleteRule('cascade'),
    seq: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    text: p.text(),
    /** Where it begins in the text of the document, in UTF-16 code units. */
    start: p.integer(),
    /** Number of its terms. */
    length: p.integer(),
    /** Its terms with their places. */
    words: p.text().columnType('tsvector'),
  },
  indexes: [
    { name: 'document_chunks_of_tenant', properties: ['tenantId', 'documentId', 'seq'] },
    {
      name: 'document_chunks_words',
      expression: `create index "document_chunks_words" on "document_chunks" using gin ("tenant_id", "namespace", "words")`,
    },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: {
      section: 'document_chunks',
      key: ['documentId', 'seq'],
      columns: {
        documentId: true,
        seq: true,
        tenantId: 'the document is of one tenant',
        namespace: true,
        text: true,
        start: true,
        length: 'a part of the search index',
        words: 'a part of the search index',
      },
    },
    sweeps: { none: 'removed with its document' },
  },
})

/** The vector of a chunk by a model of embeddings. */
export const DocumentVectorEntity = defineTable({
  name: 'DocumentVector',
  tableName: 'document_vectors',
  properties: {
    documentId: () => p.manyToOne(DocumentEntity).mapToPk().fieldName('document_id').primary().deleteRule('cascade'),
    seq: p.integer().primary(),
    tenantId: p.text(),
    namespace: p.text(),
    /** The model that made it. */
    model: p.text(),
    /** Numbers of length one together, as float32 in little-endian order. */
    vector: bytes(),
  },
  indexes: [
    { name: 'document_vectors_of_namespace', properties: ['tenantId', 'namespace', 'model', 'documentId', 'seq'] },
  ],
  facts: {
    tenant: 'row',
    namespace: 'column',
    merge: 'moves',
    purge: 'goes',
    export: { leftOut: 'made from `document_chunks` for search' },
    sweeps: { none: 'removed with its document' },
  },
})
