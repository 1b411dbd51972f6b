import type { LoraAdapter } from '../files/lora-adapter.ts'
import type { ModelWeights } from '../llama/inference/graph-inputs.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import { collectTokenBytes } from './constraints/token-trie.ts'
import { encodeConstraint } from './encode-constraint.ts'
import { EngineHost } from './engine/engine-host.ts'
import { completeSettings, type Generator, type GeneratorSettings } from './generator.ts'
import { completeOptions } from './options.ts'

/**
 * Creates a generator on the calling thread, which each token blocks: for commands and separate threads, not for
 * servers.
 */
export function openOfflineGenerator(
  base: ModelWeights,
  tokenizer: Tokenizer,
  settings: Partial<GeneratorSettings> = {},
): Generator {
  const adapters = new Map<string, LoraAdapter>()
  const vocabulary = collectTokenBytes(tokenizer, base.config.vocabSize)
  const host = new EngineHost(base, vocabulary, completeSettings(base, settings), async (hash) => {
    const adapter = adapters.get(hash)
    if (adapter === undefined) throw new Error(`No adapter ${hash} was given`)
    return await Promise.resolve(adapter)
  })
  const hashOf = (ref: { readonly hash: string; readonly adapter: LoraAdapter } | undefined): string | null => {
    if (ref !== undefined) adapters.set(ref.hash, ref.adapter)
    return ref?.hash ?? null
  }
  let hasEnded = false
  return {
    get hasEnded() {
      return hasEnded
    },
    async generate({ promptIds, adapter, options = {}, signal }) {
      const complete = completeOptions(options)
      const constraint = encodeConstraint(complete.constraint, tokenizer)
      return await host.generate({ promptIds, adapterHash: hashOf(adapter), options: complete, constraint }, signal)
    },
    logProbs: async ({ ids, adapter, signal }) => await host.score(ids, hashOf(adapter), signal),
    scoreContinuations: async ({ promptIds, continuations, adapter, signal }) =>
      await host.scoreContinuations({ promptIds, continuations, adapterHash: hashOf(adapter) }, signal),
    stats: async () => await Promise.resolve(host.stats()),
    close: async () => {
      hasEnded = true
      await host.close()
    },
  }
}
