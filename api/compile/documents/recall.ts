import { RecallAnswer, RecallBody } from '../../../core/compile/wire/documents/recall.ts'
import { requireNamespace } from '../../../db/kernel/namespaces/bounds.ts'
import { envelope } from '../../kernel/reply/answers.ts'
import { defineRoute } from '../services.ts'
import { recall } from './recall-chunks.ts'

export const recallRoute = defineRoute({
  method: 'post',
  path: '/v1/recall',
  operationId: 'recallChunks',
  group: 'run',
  summary: 'Find the parts of documents that a query is about',
  description:
    'Ranks the chunks of a namespace by BM25, and by vectors where a model of embeddings is there; both rankings are joined by reciprocal rank fusion. `retrieval` says how the chunks were found, and `indexed.chunks` how many there are: 0 means that nothing is indexed, which is not the same as nothing found.',
  auth: 'key',
  scope: 'documents:read',
  namespace: 'bounded',
  stores: 'bounded',
  body: RecallBody,
  answers: { 200: envelope('The chunks, best first', RecallAnswer) },
}).handle(async ({ op, services, body }) => {
  requireNamespace(op, body.namespace)
  const { chunks, ...rest } = await recall(op, services, body)
  return { status: 200, body: { namespace: body.namespace, n: chunks.length, chunks: [...chunks], ...rest } }
})
