import type { z } from 'zod'
import { queryTerms } from '../../../core/compile/documents/terms.ts'
import type { RecalledChunk, Retrieval } from '../../../core/compile/wire/documents/recall.ts'
import { searchChunks } from '../../../db/compile/across/search-chunks.ts'
import { readChunks, totalsOf } from '../../../db/compile/documents/recall-chunks.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { CompileServices } from '../services.ts'

/** A question to the documents of a namespace. */
export interface RecallQuestion {
  readonly namespace: string
  readonly query: string
  readonly k: number
}

/** The chunks that were found and how. */
export interface Recalled {
  readonly chunks: readonly z.input<typeof RecalledChunk>[]
  readonly indexed: { readonly documents: number; readonly chunks: number }
  readonly retrieval: z.input<typeof Retrieval>
}

/** Finds chunks of a namespace that the caller may read. */
export async function recall(op: Operation, services: CompileServices, question: RecallQuestion): Promise<Recalled> {
  const { namespace, query, k } = question
  const totals = await totalsOf(op, namespace)
  const terms = queryTerms(query)
  const found = await searchChunks(services.db, { tenantId: op.tenantId, namespace, terms, most: k, totals })
  const texts = await readChunks(op, found)
  const scores = new Map(
    found.map((each, at) => [`${each.documentId}/${each.seq}`, { rank: at + 1, score: each.score }]),
  )
  return {
    chunks: texts.map(({ documentId, seq, path, text, start }) => {
      const lexical = scores.get(`${documentId}/${seq}`) ?? null
      return {
        path,
        snippet: text,
        score: lexical?.score ?? 0,
        document_id: documentId,
        seq,
        start,
        lexical,
        vector: null,
      }
    }),
    indexed: { documents: totals.documents, chunks: totals.chunks },
    retrieval: {
      method: 'lexical',
      lexical: 'bm25',
      terms: [...terms],
      vectors: null,
      fusion: null,
      note: 'no model of embeddings is set up: words alone were compared',
    },
  }
}
