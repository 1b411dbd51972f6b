import { sql } from 'kysely'
import type { Operation } from '../../../kernel/operation.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'

/** The content of a namespace, in numbers. */
export interface NamespaceTotals {
  readonly documents: number
  readonly chunks: number
  readonly terms: number
  /** The models whose vectors its documents have, the one with most chunks first. */
  readonly models: readonly ModelTotals[]
}

/** The documents of a namespace with vectors of one model. */
export interface ModelTotals {
  readonly model: string
  readonly chunks: number
  /** Changes when another set of documents has vectors. */
  readonly fingerprint: string
}

/** Counts the documents of a namespace, their chunks, the terms of these, and their vectors. */
export async function totalsOf(op: Operation, namespace: string): Promise<NamespaceTotals> {
  const rows = await op.read((q) =>
    q
      .selectFrom('documents')
      .select([
        'embedding_model as model',
        q.fn.countAll<number>().as('documents'),
        sql<number>`coalesce(sum(chunk_count), 0)::bigint`.as('chunks'),
        sql<number>`coalesce(sum(term_count), 0)::bigint`.as('terms'),
        sql<string>`bit_xor(hashtextextended(id, 0))::text`.as('fingerprint'),
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace)
      .groupBy('embedding_model')
      .orderBy('chunks', 'desc'),
  )
  const sum = (field: 'documents' | 'chunks' | 'terms') => rows.reduce((total, row) => total + row[field], 0)
  return {
    documents: sum('documents'),
    chunks: sum('chunks'),
    terms: sum('terms'),
    models: rows.flatMap(({ model, documents, chunks, fingerprint }) =>
      model === null ? [] : [{ model, chunks, fingerprint: `${documents} ${fingerprint}` }],
    ),
  }
}

/** The text of a chunk and its document. */
export interface ChunkText {
  readonly documentId: string
  readonly seq: number
  readonly path: string
  readonly text: string
  readonly start: number
}

/** Reads chunks in the order that they are named in; one that was deleted meanwhile is left out. */
export async function readChunks(
  op: Operation,
  places: readonly { readonly documentId: string; readonly seq: number }[],
): Promise<readonly ChunkText[]> {
  if (places.length === 0) return []
  const named = unnest('p', {
    document_id: list(
      'text',
      places.map(({ documentId }) => documentId),
    ),
    seq: list(
      'integer',
      places.map(({ seq }) => seq),
    ),
  })
  return await op.read((q) =>
    q
      .selectFrom(named)
      .innerJoin('document_chunks as c', (join) =>
        join.onRef('c.document_id', '=', 'p.document_id').onRef('c.seq', '=', 'p.seq'),
      )
      .innerJoin('documents as d', 'd.id', 'c.document_id')
      .select(['c.document_id as documentId', 'c.seq', 'd.path', 'c.text', 'c.start'])
      .where('c.tenant_id', '=', op.tenantId)
      .orderBy('p.place'),
  )
}
