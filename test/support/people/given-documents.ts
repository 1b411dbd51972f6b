import { newId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { sendSql } from '../db/send-sql.ts'

/** Whose documents, in which namespace, and a word that stands in their texts. */
export interface GivenDocuments {
  readonly tenantId: string
  readonly namespace: string
  readonly mark: string
}

/** An indexed document with its call, file, chunk and vector, as rows; returns the ids of the call and of the document. */
export async function givenDocuments(
  db: Database,
  { tenantId, namespace, mark }: GivenDocuments,
): Promise<{ readonly indexId: string; readonly documentId: string }> {
  const [indexId, documentId] = [newId('idx'), newId('doc')]
  const path = `${mark}.txt`
  await sendSql(
    db,
    `insert into document_indexes (id, tenant_id, namespace, state, force, created_at, started_at, finished_at)
     values ($1, $2, $3, 'succeeded', false, now(), now(), now())`,
    [indexId, tenantId, namespace],
  )
  await sendSql(
    db,
    `insert into document_index_files (index_id, place, tenant_id, namespace, path, origin, state, modality)
     values ($1, 0, $2, $3, $4, 'upload', 'indexed', 'text')`,
    [indexId, tenantId, namespace, path],
  )
  await sendSql(
    db,
    `insert into documents (id, tenant_id, namespace, path, origin, sha256, size_bytes, modality, content_extracted,
       characters, chunk_count, term_count, indexed_at)
     values ($1, $2, $3, $4, 'upload', $5, 5, 'text', true, 5, 1, 1, now())`,
    [documentId, tenantId, namespace, path, `sha256:${'0'.repeat(64)}`],
  )
  await sendSql(
    db,
    `insert into document_chunks (document_id, seq, tenant_id, namespace, text, start, length, words)
     values ($1, 0, $2, $3, $4, 0, 5, to_tsvector('simple', $4))`,
    [documentId, tenantId, namespace, mark],
  )
  await sendSql(
    db,
    `insert into document_vectors (document_id, seq, tenant_id, namespace, model, vector)
     values ($1, 0, $2, $3, 'a model', '\\x00')`,
    [documentId, tenantId, namespace],
  )
  return { indexId, documentId }
}
