import type { ChunkPlace } from '../../../../core/compile/documents/ranking/fuse.ts'
import type { VectorSearch } from '../../../../core/compile/documents/vectors/vector-search.ts'
import type { VectorSearchMethod } from '../../../../core/compile/documents/vectors/vector-tasks.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import type { Embedder } from '../../../../core/model/embedding/embedder.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { NamespaceVectors } from './namespace-vectors.ts'
import type { ModelTotals, NamespaceTotals } from './read-chunks.ts'

/** Embeds a query by the model of a provider. Throws what the call throws. */
export type EmbedQuery = (model: string, query: string) => Promise<Float32Array>

/** The ranking of chunks by vectors, or why there is none. */
export type VectorRanking =
  | {
      readonly kind: 'ranked'
      readonly model: string
      readonly search: VectorSearchMethod
      /** Chunks with vectors of this model. */
      readonly chunks: number
      readonly places: readonly (ChunkPlace & { readonly similarity: number })[]
      readonly note: string | null
    }
  | { readonly kind: 'none'; readonly note: string }

interface VectorTools {
  readonly embedder: Embedder
  readonly search: VectorSearch
  readonly held: NamespaceVectors
}

interface VectorQuestion {
  readonly namespace: string
  readonly query: string
  readonly totals: NamespaceTotals
  readonly embedQuery: EmbedQuery | undefined
  readonly depth: number
}

/**
 * Ranks the chunks of a namespace by the similarity of their vectors to that of the query. The model of this machine comes
 * first; then one of a provider. A model that fails leaves the words, and the note says so.
 */
export async function rankByVectors(
  op: Operation,
  tools: VectorTools,
  question: VectorQuestion,
): Promise<VectorRanking> {
  try {
    return await rank(op, tools, question)
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return none(`the model of embeddings failed (${error.code}): words alone were compared`)
  }
}

async function rank(op: Operation, tools: VectorTools, question: VectorQuestion): Promise<VectorRanking> {
  const { totals, namespace, depth } = question
  const name = await tools.embedder.name()
  if (totals.models.length === 0) return none(whyNone(name, totals))
  const embedded = await embed(tools.embedder, name, question)
  if (embedded === null)
    return none(`the model ${totals.models[0]?.model ?? ''} of the vectors is not installed: words alone were compared`)
  const { totals: own, vector } = embedded
  const wanted = { ...own, namespace, dimensions: vector.length }
  const held = await tools.held.hold(op, wanted)
  if (held === null) {
    return none(
      `the ${own.chunks} vectors of the namespace take more memory than the server gives them: words alone were compared`,
    )
  }
  const { key, matrix } = held
  const { view } = matrix
  const { rows, search, hasLibrary } = await tools.search.search({
    tenantId: op.tenantId,
    key,
    matrix: view,
    query: vector,
    most: depth,
  })
  const places = rows.flatMap(({ row, similarity }) => {
    const place = matrix.places[row]
    return place === undefined ? [] : [{ ...place, similarity }]
  })
  return {
    kind: 'ranked',
    model: own.model,
    search,
    chunks: own.chunks,
    places,
    note: notesOf({ isWhole: own.chunks === totals.chunks, hasLibrary }),
  }
}

/** Embeds the query by the first model of the namespace that is at hand; null where none is. */
async function embed(
  embedder: Embedder,
  name: string | null,
  { query, totals, embedQuery }: VectorQuestion,
): Promise<{ readonly totals: ModelTotals; readonly vector: Float32Array } | null> {
  if (name !== null && totals.models.some(({ model }) => model.startsWith(`${name}@`))) {
    const made = await embedder.embed({ as: 'query', texts: [query] })
    const own = totals.models.find(({ model }) => model === made?.model)
    if (made !== null && own !== undefined) return { totals: own, vector: made.vectors }
  }
  const provided = totals.models.find(({ model }) => !model.includes('@sha256:'))
  if (provided === undefined || embedQuery === undefined) return null
  return { totals: provided, vector: await embedQuery(provided.model, query) }
}

function whyNone(name: string | null, { chunks }: NamespaceTotals): string {
  if (name === null) return 'no model of embeddings is installed: words alone were compared'
  if (chunks === 0) return 'nothing is indexed'
  return 'no document has vectors yet: words alone were compared'
}

function notesOf({ isWhole, hasLibrary }: { readonly isWhole: boolean; readonly hasLibrary: boolean }): string | null {
  const notes = [
    ...(isWhole ? [] : ['some chunks have no vectors of this model yet and were found by words alone']),
    ...(hasLibrary ? [] : ['the library of vectors does not load on this machine: every vector was compared']),
  ]
  return notes.length === 0 ? null : notes.join('; ')
}

function none(note: string): VectorRanking {
  return { kind: 'none', note }
}
