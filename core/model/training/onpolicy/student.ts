import type { ModelConfig } from '../../config/model-config.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import { closed } from '../../generation/engine/closed.ts'
import { GenerationEngine } from '../../generation/engine/engine.ts'
import type { Generation } from '../../generation/options.ts'
import { prepareAdapter } from '../../llama/inference/adapter-rows.ts'
import type { ModelWeights } from '../../llama/inference/graph-inputs.ts'
import { cacheBytesPerToken } from '../../llama/inference/kv-cache.ts'
import type { TokenIds } from '../rows.ts'

/** Answers that are written at the same time. */
const MOST_AT_ONCE = 16
const LEAST_CACHE_BYTES = 64 * 1024 * 1024
/** Rows of the longest kind that the cache has room for. */
const LONGEST_AT_ONCE = 4

/** A prompt for the student. */
export interface StudentPrompt {
  readonly prompt: TokenIds
  readonly maxNewTokens: number
  readonly seed: number
}

/** A base that answers with the adapter that it is being trained with. */
export interface Student {
  /**
   * Draws one answer for each prompt, with the token that ends it unless it was cut off. The same prompts, adapter and
   * temperature give the same answers, whatever was answered before.
   */
  answer(prompts: readonly StudentPrompt[], adapter: LoraAdapter, temperature: number): Promise<readonly number[][]>
  close(): Promise<void>
}

/** Returns the memory of the keys and values of a student's answers of up to `longest` tokens, prompts included. */
export function studentCacheBytes(config: ModelConfig, longest: number): number {
  return Math.max(LEAST_CACHE_BYTES, LONGEST_AT_ONCE * longest * cacheBytesPerToken(config))
}

/** Opens a student. Its cache is empty again after each call, so no answer depends on earlier ones. */
export function openStudent(base: ModelWeights, threads: number, longest: number): Student {
  const { config } = base
  // Answers are wanted as tokens, so no token needs a text.
  const nothing = { bytes: new Uint8Array(new SharedArrayBuffer(0)), lead: '' }
  const vocabulary = { ...nothing, offsets: new Int32Array(new SharedArrayBuffer(4 * (config.vocabSize + 1))) }
  const engine = new GenerationEngine(base, vocabulary, {
    threads,
    maxBatch: MOST_AT_ONCE,
    maxQueue: Number.MAX_SAFE_INTEGER,
    cacheBytes: studentCacheBytes(config, longest),
  })
  const [endToken] = config.eosTokenIds
  return {
    async answer(prompts, adapter, temperature) {
      const prepared = prepareAdapter(config, adapter)
      const options = { temperature, topK: 0, topP: 1, stop: [] }
      const drawn = await Promise.all(
        prompts.map(async ({ prompt, maxNewTokens, seed }) => {
          const { promise, resolve, reject } = Promise.withResolvers<Generation>()
          const request = { promptIds: Array.from(prompt), adapter: prepared, constraint: null }
          engine.generate({ ...request, options: { ...options, maxNewTokens, seed } }, { resolve, reject })
          return await promise
        }),
      )
      return drawn.map(({ ids, finish }) =>
        finish === 'end' && endToken !== undefined ? [...ids, endToken] : [...ids],
      )
    },
    close: async () => await engine.close(closed()),
  }
}
