import { z } from 'zod'
import { targetOf } from '../../../core/gateway/calls/target.ts'
import { DomainError } from '../../../core/kernel/errors.ts'
import { MODEL_ERRORS } from '../../../core/model/errors.ts'
import { normalised } from '../../../core/model/embedding/normalised.ts'
import { nextToEmbed, storeVectors } from '../../../db/compile/documents/recall/chunk-vectors.ts'
import type { EmbedQuery } from '../../../db/compile/documents/recall/rank-by-vectors.ts'
import { noteVectors } from '../../../db/compile/documents/run-index.ts'
import { grantsScope } from '../../../core/kernel/scopes.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { answerCall, PLAIN_DIALECT } from '../../gateway/calls/answer-call.ts'
import type { InferenceCall } from '../../gateway/calls/open-call.ts'
import type { CompileServices } from '../services.ts'

/** The call on whose behalf a provider is asked for vectors. */
export type VectorCaller = Pick<InferenceCall, 'principal' | 'requestId' | 'request' | 'hangUp'> & {
  readonly services: CompileServices
  readonly op: Operation
}

/** Chunks of one call of a provider. */
const CHUNKS_AT_ONCE = 64

const Embeddings = z.looseObject({
  data: z.array(z.looseObject({ index: z.int(), embedding: z.array(z.number()).min(1) })),
})

/** Returns the name under which vectors of a provider's model are stored: with its provider. Throws `unknown_model`. */
export function providersModel(name: string, field: string): string {
  const { provider, model } = targetOf(name, field)
  return `${provider.id}:${model}`
}

/** Returns what embeds queries by a provider's model; undefined for a key that may not call models. */
export function embedQueryOf(caller: VectorCaller, namespace: string): EmbedQuery | undefined {
  const { scopes } = caller.op
  if (scopes !== null && !grantsScope(scopes, 'gateway:call')) return undefined
  return async (model, query) => {
    const [vector] = await embedByProvider(caller, { model, namespace, texts: [query] })
    if (vector === undefined) throw new Error('one text has one vector')
    return vector
  }
}

/**
 * Gives the chunks of a namespace vectors of a provider's model, until all have one, `signal` ends it or a call is
 * refused; each batch is stored, so the next call continues after it. Records the model, or why chunks have no vectors.
 */
export async function embedChunksByProvider(
  caller: VectorCaller,
  input: { readonly indexId: string; readonly namespace: string; readonly model: string; readonly signal: AbortSignal },
): Promise<void> {
  const { op } = caller
  const { indexId, namespace, model, signal } = input
  let note: string | null = null
  try {
    for (;;) {
      const next = await nextToEmbed(op, { namespace, model, most: CHUNKS_AT_ONCE })
      if (next.length === 0) break
      if (signal.aborted) {
        note = 'some chunks have no vectors yet: send the call again, and it goes on behind the last'
        break
      }
      const texts = next.map(({ text }) => text)
      await storeVectors(op, {
        model,
        chunks: next,
        vectors: flat(await embedByProvider(caller, { model, namespace, texts })),
      })
    }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    note = `${model} gave no vectors (${error.code}): words alone are compared; send the call again to go on`
  }
  await noteVectors(op, { indexId, model, note })
}

/**
 * Embeds texts by the gateway's one path: gate, quota, budget and receipt are those of any call. The texts are not captured:
 * they are those of documents that are stored already, or of a query.
 */
async function embedByProvider(
  { services, principal, requestId, request, hangUp }: VectorCaller,
  {
    model,
    namespace,
    texts,
  }: { readonly model: string; readonly namespace: string; readonly texts: readonly string[] },
): Promise<readonly Float32Array[]> {
  const target = targetOf(model)
  const reply = await answerCall({
    services,
    principal,
    requestId,
    request,
    hangUp,
    dialect: PLAIN_DIALECT,
    plain: 'embeddings',
    target,
    body: { model, input: [...texts], encoding_format: 'float', corpus_namespace: namespace, no_store: true },
    wishes: { artifact_id: null, cache_mode: 'off' },
  })
  if (reply.raw.kind !== 'bytes') throw new Error('a call was not concluded')
  const { data } = Embeddings.parse(JSON.parse(reply.raw.bytes.toString()))
  const vectors = data
    .toSorted((a, b) => a.index - b.index)
    .map(({ embedding }) => normalised(Float32Array.from(embedding)))
  const width = vectors[0]?.length ?? 0
  if (vectors.length === texts.length && vectors.every(({ length }) => length === width)) return vectors
  throw MODEL_ERRORS.invalid_model(`${model} gave other vectors than one of equal length for each text`)
}

function flat(vectors: readonly Float32Array[]): Float32Array {
  const width = vectors[0]?.length ?? 0
  const all = new Float32Array(width * vectors.length)
  for (const [at, vector] of vectors.entries()) all.set(vector, at * width)
  return all
}
