import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'

/** What a namespace holds. */
export interface NamespaceTotals {
  readonly documents: number
  readonly chunks: number
  readonly terms: number
}

/** Counts the documents of a namespace, their chunks and the terms of these. */
export async function totalsOf(op: Operation, namespace: string): Promise<NamespaceTotals> {
  const [row] = await op.read((q) =>
    q
      .selectFrom('documents')
      .select([
        q.fn.countAll<number>().as('documents'),
        sql<number>`coalesce(sum(chunk_count), 0)::bigint`.as('chunks'),
        sql<number>`coalesce(sum(term_count), 0)::bigint`.as('terms'),
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('namespace', '=', namespace),
  )
  return row ?? { documents: 0, chunks: 0, terms: 0 }
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
