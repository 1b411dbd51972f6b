import { z } from 'zod'
import { DocumentId } from '../../../kernel/wire/ids.ts'
import { DocumentNamespace } from './embed.ts'

const MOST_QUERY_CHARS = 8000
const MOST_CHUNKS = 100

/** Body of `POST /v1/recall`. */
export const RecallBody = z.object({
  namespace: DocumentNamespace,
  query: z.string().min(1).max(MOST_QUERY_CHARS).meta({ example: 'late delivery' }),
  k: z.int().min(1).max(MOST_CHUNKS).default(12).meta({ description: 'Maximum number of chunks' }),
})

const LexicalRank = z
  .object({ rank: z.int(), score: z.number() })
  .meta({ id: 'LexicalRank', description: 'Place and score by BM25' })
const VectorRank = z
  .object({ rank: z.int(), similarity: z.number() })
  .meta({ id: 'VectorRank', description: 'Place and cosine similarity by vectors' })

/** A chunk that was found. */
export const RecalledChunk = z
  .object({
    path: z.string(),
    snippet: z.string(),
    score: z.number().meta({
      description:
        'Of the order: BM25 where words alone were compared, else the sum of 1 / (60 + rank) over both rankings',
    }),
    document_id: DocumentId,
    seq: z.int().meta({ description: 'Number of the chunk in its document, from 0' }),
    start: z.int().meta({ description: 'Where it begins in the text of the document, in UTF-16 code units' }),
    lexical: LexicalRank.nullable(),
    vector: VectorRank.nullable(),
  })
  .meta({ id: 'RecalledChunk' })

/** The way in which an answer was found. */
export const Retrieval = z
  .object({
    method: z
      .enum(['lexical', 'hybrid'])
      .meta({ description: '`lexical`: by words alone; `hybrid`: by words and vectors' }),
    lexical: z.literal('bm25'),
    terms: z.array(z.string()).meta({ description: 'The words of the query that count, without their endings' }),
    vectors: z
      .object({
        model: z.string(),
        search: z.enum(['brute_force', 'approximate']).meta({
          description:
            '`brute_force`: every vector was compared, in 8 bits, and the nearest again in full; `approximate`: a graph of neighbours was searched',
        }),
        chunks: z.int().meta({ description: 'Chunks with vectors of this model' }),
      })
      .nullable()
      .meta({ id: 'RetrievalVectors' }),
    fusion: z.literal('reciprocal_rank').nullable(),
    note: z.string().nullable().meta({ description: 'Why vectors were not compared, or not all of them' }),
  })
  .meta({ id: 'Retrieval' })

/** Answer of `POST /v1/recall`. */
export const RecallAnswer = z.object({
  namespace: z.string(),
  n: z.int().meta({ description: 'Number of chunks in this answer' }),
  chunks: z.array(RecalledChunk).meta({ description: 'Best first' }),
  indexed: z
    .object({ documents: z.int(), chunks: z.int() })
    .meta({ id: 'IndexedTotals', description: 'What the namespace holds: 0 chunks means that nothing is indexed' }),
  retrieval: Retrieval,
})
