import { sql } from 'kysely'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { DocumentIndex, DocumentIndexFile } from './document-index.ts'

/** A call that indexes files, and how far it is. */
export interface IndexProgress extends Pick<
  DocumentIndex,
  | 'id'
  | 'namespace'
  | 'state'
  | 'force'
  | 'errorCode'
  | 'errorMessage'
  | 'embeddingModel'
  | 'vectorsNote'
  | 'createdAt'
  | 'finishedAt'
> {
  readonly files: readonly Pick<DocumentIndexFile, 'path' | 'state' | 'reason' | 'modality'>[]
}

/** Returns a call that indexes files. Throws `not_found`, also for another tenant's. */
export async function findIndex(op: Operation, indexId: string): Promise<IndexProgress> {
  const [[index], files] = await op.read((q) => [
    q
      .selectFrom('document_indexes')
      .select([
        'id',
        'namespace',
        'state',
        'force',
        'error_code as errorCode',
        'error_message as errorMessage',
        'embedding_model as embeddingModel',
        'vectors_note as vectorsNote',
        'created_at as createdAt',
        'finished_at as finishedAt',
      ])
      .where('id', '=', indexId)
      .where('tenant_id', '=', op.tenantId),
    q
      .selectFrom('document_index_files')
      .select(['path', 'state', 'reason', 'modality'])
      .where('index_id', '=', indexId)
      .where('tenant_id', '=', op.tenantId)
      .orderBy('place'),
  ])
  if (index === undefined) throw KERNEL_ERRORS.not_found('no such indexing of documents')
  return { ...index, files }
}

/** Returns whether a call that indexes files is over. Throws `not_found`. */
export async function isIndexOver(op: Operation, indexId: string): Promise<boolean> {
  const [index] = await op.read((q) =>
    q
      .selectFrom('document_indexes')
      .select(sql<boolean>`finished_at is not null`.as('isOver'))
      .where('id', '=', indexId)
      .where('tenant_id', '=', op.tenantId),
  )
  if (index === undefined) throw KERNEL_ERRORS.not_found('no such indexing of documents')
  return index.isOver
}
