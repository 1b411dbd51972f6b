import { fuseRankings } from '../../../../core/compile/documents/ranking/fuse.ts'
import { queryTerms } from '../../../../core/compile/documents/terms.ts'
import { openVectorSearch } from '../../../../core/compile/documents/vectors/vector-search.ts'
import type { Limits } from '../../../../core/compile/limits.ts'
import type { Cores } from '../../../../core/kernel/threads/cores.ts'
import type { Embedder } from '../../../../core/model/embedding/embedder.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { searchChunks } from '../../across/search-chunks.ts'
import { createNamespaceVectors } from './namespace-vectors.ts'
import { readChunks, totalsOf, type ChunkText, type NamespaceTotals } from './read-chunks.ts'
import { rankByVectors, type EmbedQuery, type VectorRanking } from './rank-by-vectors.ts'

/** A question to the documents of a namespace. */
export interface RecallQuestion {
  readonly namespace: string
  readonly query: string
  readonly k: number
  /** Embeds the query by the model of a provider; without it such vectors are not compared. */
  readonly embedQuery?: EmbedQuery
}

/** A chunk with its place in each ranking that holds it, counted from 1. */
export interface RecalledText extends ChunkText {
  readonly score: number
  readonly lexical: { readonly rank: number; readonly score: number } | null
  readonly vector: { readonly rank: number; readonly similarity: number } | null
}

/** The chunks that were found and how. */
export interface Recalled {
  readonly chunks: readonly RecalledText[]
  readonly totals: NamespaceTotals
  readonly terms: readonly string[]
  readonly vectors: VectorRanking
}

/** Finds chunks of namespaces. */
export interface Recall {
  /** Finds chunks of a namespace that the caller may read: by words, and by vectors where there are some. */
  find(op: Operation, question: RecallQuestion): Promise<Recalled>
  close(): Promise<void>
}

/** Dependencies of a recall. */
export interface RecallDeps {
  readonly db: Database
  readonly embedder: Embedder
  readonly cores: Cores
  readonly limits: Pick<Limits, 'recall_brute_force_chunks' | 'recall_vector_bytes'>
}

/** Places of each ranking that are joined, at least. */
const LEAST_DEPTH = 100

/** Opens the recall of a process. */
export function openRecall({ db, embedder, cores, limits }: RecallDeps): Recall {
  const search = openVectorSearch(cores, limits.recall_brute_force_chunks)
  const held = createNamespaceVectors(limits.recall_vector_bytes, (key) => search.drop(key))
  return {
    async find(op, { namespace, query, k, embedQuery }) {
      const totals = await totalsOf(op, namespace)
      const terms = queryTerms(query)
      const depth = Math.max(k, LEAST_DEPTH)
      const lexically = (most: number) => searchChunks(db, { tenantId: op.tenantId, namespace, terms, most, totals })
      const byVectors = rankByVectors(op, { embedder, search, held }, { namespace, query, totals, embedQuery, depth })
      // A failure of either is thrown below; until then it must not end the process.
      byVectors.catch(() => undefined)
      const lexical = await lexically(totals.models.length > 0 ? depth : k)
      const vectors = await byVectors
      const places = vectors.kind === 'ranked' ? vectors.places : []
      const fused = fuseRankings(lexical, places).slice(0, k)
      const found = new Map(fused.map((one) => [`${one.documentId}/${one.seq}`, one]))
      const texts = await readChunks(op, fused)
      return {
        chunks: texts.map((text) => {
          const { lexicalRank = null, vectorRank = null, score = 0 } = found.get(`${text.documentId}/${text.seq}`) ?? {}
          const bm25 = lexicalRank === null ? null : (lexical[lexicalRank - 1]?.score ?? null)
          const similarity = vectorRank === null ? null : (places[vectorRank - 1]?.similarity ?? null)
          return {
            ...text,
            score: vectors.kind === 'ranked' ? score : (bm25 ?? 0),
            lexical: lexicalRank === null || bm25 === null ? null : { rank: lexicalRank, score: bm25 },
            vector: vectorRank === null || similarity === null ? null : { rank: vectorRank, similarity },
          }
        }),
        totals,
        terms,
        vectors,
      }
    },
    close: async () => await search.close(),
  }
}
