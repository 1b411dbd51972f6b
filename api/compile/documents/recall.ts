import type { z } from 'zod'
import { RecallAnswer, RecallBody, type Retrieval } from '../../../core/compile/wire/documents/recall.ts'
import type { Recalled } from '../../../db/compile/documents/recall/recall.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { embedQueryOf } from './provider-vectors.ts'

export const recallRoute = defineRoute({
  method: 'post',
  path: '/v1/recall',
  operationId: 'recallChunks',
  group: 'run',
  summary: 'Find the parts of documents that a query is about',
  description:
    'Ranks the chunks of a namespace by BM25, and by vectors where they have some; both rankings are joined by reciprocal rank fusion. Vectors of a provider take one call of the gateway for the query. `retrieval` says how the chunks were found, and `indexed.chunks` how many there are: 0 means that nothing is indexed, which is not the same as nothing found.',
  auth: 'key',
  scope: 'documents:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: RecallBody,
  answers: { 200: envelope('The chunks, best first', RecallAnswer) },
}).handle(async (call) => {
  const { op, services, body } = call
  const { namespace, query, k } = body
  requireNamespace(op, namespace)
  const embedQuery = embedQueryOf(call, namespace)
  const found = await services.recall.find(op, { namespace, query, k, ...(embedQuery !== undefined && { embedQuery }) })
  const answer: z.input<typeof RecallAnswer> = {
    namespace,
    n: found.chunks.length,
    chunks: found.chunks.map(({ path, text, score, documentId, seq, start, lexical, vector }) => ({
      path,
      snippet: text,
      score,
      document_id: documentId,
      seq,
      start,
      lexical,
      vector,
    })),
    indexed: { documents: found.totals.documents, chunks: found.totals.chunks },
    retrieval: retrievalOf(found),
  }
  return { status: 200, body: answer }
})

function retrievalOf({ terms, vectors }: Recalled): z.input<typeof Retrieval> {
  const words = { lexical: 'bm25' as const, terms: [...terms], note: vectors.note }
  if (vectors.kind === 'none') return { ...words, method: 'lexical', vectors: null, fusion: null }
  const { model, search, chunks } = vectors
  return { ...words, method: 'hybrid', vectors: { model, search, chunks }, fusion: 'reciprocal_rank' }
}
