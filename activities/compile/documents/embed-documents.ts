import { DomainError } from '../../../core/kernel/errors.ts'
import { nextToEmbed, storeVectors } from '../../../db/compile/documents/recall/chunk-vectors.ts'
import { beginIndex, noteVectors } from '../../../db/compile/documents/run-index.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type DocumentDeps, type IndexRef } from './deps.ts'

/** Chunks of one statement: after a crash so many are computed again at most. */
const CHUNKS_AT_ONCE = 32

/**
 * Gives the chunks of the call's namespace vectors of the model of this machine, document by document; also those of
 * earlier calls whose vectors are of another model. Safe to repeat: stored vectors are not computed again. Without a
 * model, or for a call that asked a provider for vectors, it does nothing and says why.
 */
export async function embedDocuments(deps: DocumentDeps, ref: IndexRef): Promise<{ readonly chunks: number }> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const index = await beginIndex(op, ref.indexId)
      if (index === null || isProviders(index.embeddingModel)) return { chunks: 0 }
      const note = async (model: string | null, why: string | null): Promise<void> =>
        await noteVectors(op, { indexId: ref.indexId, model, note: why })
      if ((await deps.embedder.name()) === null) {
        await note(null, 'no model of embeddings is installed: words alone are compared')
        return { chunks: 0 }
      }
      try {
        return await inSlot(deps, { lane: 'short', work: ref }, activity, async (working) => {
          const { model, chunks } = await embedAll(deps, ref, { namespace: index.namespace, activity: working })
          await note(model, null)
          return { chunks }
        })
      } catch (error) {
        if (!(error instanceof DomainError) || error.facts.retryable) throw error
        await note(null, `the model of embeddings failed (${error.code}): words alone are compared`)
        return { chunks: 0 }
      }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

async function embedAll(
  { embedder, ...deps }: DocumentDeps,
  ref: IndexRef,
  { namespace, activity }: { readonly namespace: string; readonly activity: RunningActivity },
): Promise<{ readonly model: string | null; readonly chunks: number }> {
  const op = operationOf(deps, ref)
  const { signal, progress: onProgress } = activity
  const embed = async (texts: readonly string[]) => await embedder.embed({ as: 'document', texts, signal, onProgress })
  // Of no text: opens the model and tells its digest.
  const model = (await embed([]))?.model ?? null
  let chunks = 0
  while (model !== null) {
    signal.throwIfAborted()
    const next = await nextToEmbed(op, { namespace, model, most: CHUNKS_AT_ONCE })
    if (next.length === 0) break
    const made = await embed(next.map(({ text }) => text))
    // The folder was changed meanwhile: the next attempt begins with the new model.
    if (made?.model !== model) throw new Error('the model of embeddings has changed')
    await storeVectors(op, { model, chunks: next, vectors: made.vectors })
    chunks += next.length
    activity.note({ step: 'embed', done: chunks })
  }
  return { model, chunks }
}

/** A model of a provider is named with it; one of this machine has the digest of its weights. */
function isProviders(model: string | null): boolean {
  return model !== null && !model.includes('@sha256:')
}
