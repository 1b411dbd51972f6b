import { z } from 'zod'
import {
  DeleteDocumentAnswer,
  ListDocumentsAnswer,
  type DocumentView,
} from '../../../core/compile/wire/documents/documents.ts'
import { DocumentNamespace } from '../../../core/compile/wire/documents/embed.ts'
import { DocumentId } from '../../../core/kernel/wire/ids.ts'
import { pageOf } from '../../../core/kernel/wire/page.ts'
import { deleteDocument } from '../../../db/compile/documents/delete-document.ts'
import {
  listDocumentNamespaces,
  listDocuments,
  type ListedDocument,
} from '../../../db/compile/documents/list-documents.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'

export const listDocumentsRoute = defineRoute({
  method: 'get',
  path: '/v1/documents',
  operationId: 'listDocuments',
  group: 'run',
  summary: 'List the documents of namespaces, newest first',
  auth: 'key',
  scope: 'documents:read',
  namespace: 'bounded',
  query: (limits) => pageOf(50)(limits).extend({ namespace: DocumentNamespace.optional() }),
  answers: { 200: envelope('One page', ListDocumentsAnswer) },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const { items, nextCursor } = await listDocuments(op, query)
  const namespaces = await listDocumentNamespaces(op)
  return {
    status: 200,
    body: {
      documents: items.map(presentDocument),
      count: items.length,
      next_cursor: nextCursor,
      namespaces: [...namespaces],
    },
  }
})

export const deleteDocumentRoute = defineRoute({
  method: 'delete',
  path: '/v1/documents/{id}',
  operationId: 'deleteDocument',
  group: 'run',
  summary: 'Delete a document of a namespace',
  auth: 'key',
  scope: 'documents:write',
  namespace: 'bounded',
  params: z.object({ id: DocumentId }),
  answers: { 200: envelope('The document and its chunks are gone', DeleteDocumentAnswer) },
}).handle(async ({ op, params: { id } }) => {
  await deleteDocument(op, id)
  return { status: 200, body: { deleted: true, document_id: id } }
})

function presentDocument(document: ListedDocument): z.input<typeof DocumentView> {
  return {
    document_id: document.id,
    namespace: document.namespace,
    path: document.path,
    origin: document.origin,
    sha256: document.sha256,
    size_bytes: document.sizeBytes,
    modality: document.modality,
    content_extracted: document.contentExtracted,
    reason: document.reason ?? null,
    characters: document.characters,
    chunks: document.chunkCount,
    embedding_model: document.embeddingModel ?? null,
    indexed_at: document.indexedAt.toISOString(),
  }
}
