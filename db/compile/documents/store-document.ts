import { sql } from 'kysely'
import type { ExtractedDocument } from '../../../core/compile/documents/extract/extract-task.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { keepKnown } from '../../kernel/blobs/uploads.ts'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { settleFile, type WaitingFile } from './run-index.ts'

/** Facts about a document before its file is read. */
export interface KnownDocument {
  readonly sha256: string
  readonly stamp: string | null
}

/** Returns the document of a path of a namespace; null for a new one. */
export async function findDocument(
  op: Operation,
  { namespace, path }: { readonly namespace: string; readonly path: string },
): Promise<KnownDocument | null> {
  const [known] = await op.read((q) =>
    q
      .selectFrom('documents')
      .select(['sha256', 'stamp'])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('path', '=', path),
  )
  return known ?? null
}

/** Counts the chunks of a namespace beside those of one document, which is about to be replaced. */
export async function countChunks(op: Operation, namespace: string, besidePath: string): Promise<number> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('documents')
      .select(sql<number>`coalesce(sum(chunk_count), 0)::bigint`.as('chunks'))
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('path', '<>', besidePath),
  )
  return row?.chunks ?? 0
}

/** Records a new stamp of a file whose bytes are the same, so that the next call does not read it. */
export async function restampDocument(
  op: Operation,
  { namespace, path, stamp }: { readonly namespace: string; readonly path: string; readonly stamp: string },
): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('documents')
      .set({ stamp })
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('path', '=', path)
      .execute()
  })
}

/** A file that was read. */
export interface ReadDocument {
  readonly indexId: string
  readonly namespace: string
  readonly file: WaitingFile
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly stamp: string | null
  readonly extracted: ExtractedDocument
}

/** Chunks of one statement. */
const CHUNKS_PER_INSERT = 500

/**
 * Stores a document with its chunks in place of an earlier version of its path, and settles its file, in one transaction:
 * a search sees the old version or the new one. Safe to repeat.
 */
export async function storeDocument(op: Operation, read: ReadDocument): Promise<void> {
  const { indexId, namespace, file, sha256, sizeBytes, stamp, extracted } = read
  const { modality, chunks, characters, isExtracted, reason } = extracted
  await op.write(async (tx) => {
    if (file.blobSha256 !== null) await keepKnown(tx, file.blobSha256)
    await tx.q
      .deleteFrom('documents')
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .where('path', '=', file.path)
      .execute()
    const id = newId('doc')
    await tx.q
      .insertInto('documents')
      .values({
        id,
        tenant_id: op.tenantId,
        namespace,
        path: file.path,
        origin: file.origin,
        sha256,
        size_bytes: sizeBytes,
        modality,
        content_extracted: isExtracted,
        reason,
        characters,
        chunk_count: chunks.length,
        term_count: chunks.reduce((sum, { length }) => sum + length, 0),
        stamp,
        blob_sha256: file.blobSha256,
        indexed_at: op.now(),
      })
      .execute()
    for (let at = 0; at < chunks.length; at += CHUNKS_PER_INSERT) {
      await insertChunks(
        tx,
        { id, tenantId: op.tenantId, namespace, first: at },
        chunks.slice(at, at + CHUNKS_PER_INSERT),
      )
    }
    await settleFile(tx, op, { indexId, place: file.place }, { state: 'indexed', reason, modality })
  })
}

async function insertChunks(
  tx: Transaction,
  document: { readonly id: string; readonly tenantId: string; readonly namespace: string; readonly first: number },
  chunks: ExtractedDocument['chunks'],
): Promise<void> {
  const { id, tenantId, namespace, first } = document
  const rows = unnest('c', {
    text: list(
      'text',
      chunks.map(({ text }) => text),
    ),
    start: list(
      'integer',
      chunks.map(({ start }) => start),
    ),
    length: list(
      'integer',
      chunks.map(({ length }) => length),
    ),
    words: list(
      'text',
      chunks.map(({ vector }) => vector),
    ),
  })
  await tx.q
    .insertInto('document_chunks')
    .columns(['document_id', 'seq', 'tenant_id', 'namespace', 'text', 'start', 'length', 'words'])
    .expression((of) =>
      of
        .selectFrom(rows)
        .select([
          sql<string>`${id}::text`.as('document_id'),
          sql<number>`(${first}::bigint + c.place - 1)::integer`.as('seq'),
          sql<string>`${tenantId}::text`.as('tenant_id'),
          sql<string>`${namespace}::text`.as('namespace'),
          'c.text',
          'c.start',
          'c.length',
          sql<string>`c.words::tsvector`.as('words'),
        ]),
    )
    .execute()
}
