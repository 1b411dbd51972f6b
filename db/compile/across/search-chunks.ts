import { sql } from 'kysely'
import { COUNT_BOUNDS } from '../../../core/compile/documents/ranking/count-by-rank.ts'
import { BM25 } from '../../../core/kernel/search/bm25.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** A search for words in the chunks of a namespace. */
export interface ChunkSearch {
  readonly tenantId: string
  readonly namespace: string
  /** Different terms, of letters and digits only. */
  readonly terms: readonly string[]
  readonly most: number
  /** Of the namespace: chunks, and terms of all of them. */
  readonly totals: { readonly chunks: number; readonly terms: number }
}

/** A chunk that has a word of the query. */
export interface FoundChunk {
  readonly documentId: string
  readonly seq: number
  /** BM25. */
  readonly score: number
}

/**
 * Finds chunks that have a word of the query by the index of words and ranks them by BM25, best first (the formula of
 * `core/kernel/search/bm25.ts`); one query, so that chunks and their statistics are of one moment. Beside the tenant's
 * policies, since Postgres uses no index of words below them: the caller checks the namespace and reads the texts under
 * the policies.
 */
export async function searchChunks(db: Database, search: ChunkSearch): Promise<readonly FoundChunk[]> {
  const { tenantId, namespace, terms, most, totals } = search
  if (terms.length === 0 || totals.chunks === 0) return []
  const { saturation, byLength } = BM25
  const query = terms.map((term) => `'${term}'`).join(' | ')
  const counts = terms.map(
    (term, at) =>
      // Most chunks have only one of the words. `ts_rank` is slow, so it runs only for words that a chunk has.
      sql`case when c.words @@ ${`'${term}'`}::tsquery
        then width_bucket(ts_rank('{1,1,1,1}', c.words, ${`'${term}'`}::tsquery, 0)::float8, ${[...COUNT_BOUNDS]}::float8[])
        else 0 end as ${sql.ref(`n${at}`)}`,
  )
  const average = totals.terms / totals.chunks
  const parts = terms.map((_, at) => {
    const count = sql.ref(`found.n${at}`)
    return sql`ln(1 + (${totals.chunks}::float8 - w.n${sql.raw(String(at))} + 0.5) / (w.n${sql.raw(String(at))} + 0.5))
      * (${count} * ${saturation + 1}::float8)
      / (${count} + ${saturation}::float8 * (1 - ${byLength}::float8 + ${byLength}::float8 * found.length / ${average}::float8))`
  })
  const held = terms.map((_, at) => sql`count(*) filter (where ${sql.ref(`n${at}`)} > 0) as ${sql.ref(`n${at}`)}`)
  return await service.read(db, 'the index of words is not used below row-level policies', (q) =>
    q
      .with(
        (name) => name('found').materialized(),
        (of) =>
          of
            .selectFrom('document_chunks as c')
            .select(['c.document_id as documentId', 'c.seq', 'c.length'])
            .select(sql<number>`${sql.join(counts)}, 0`.as('zero'))
            .where('c.tenant_id', '=', tenantId)
            .where('c.namespace', '=', namespace)
            .where(sql<boolean>`c.words @@ ${query}::tsquery`),
      )
      .with('w', (of) => of.selectFrom('found').select(sql<number>`${sql.join(held)}, 0`.as('zero')))
      .selectFrom(['found', 'w'])
      .select(['found.documentId', 'found.seq'])
      .select(sql<number>`${sql.join(parts, sql` + `)}`.as('score'))
      .orderBy('score', 'desc')
      .orderBy('found.documentId')
      .orderBy('found.seq')
      .limit(most),
  )
}
