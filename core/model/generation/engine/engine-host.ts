import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { PreparedAdapter } from '../../llama/inference/adapter-rows.ts'
import type { ModelWeights } from '../../llama/inference/graph-inputs.ts'
import type { EncodedConstraint } from '../constraints/compile-constraint.ts'
import type { TokenBytes } from '../constraints/token-trie.ts'
import type { GeneratorSettings, GeneratorStats } from '../generator.ts'
import type { Generation, GenerationOptions } from '../options.ts'
import { AdapterCache } from './adapter-cache.ts'
import { closed } from './closed.ts'
import { type Answering, GenerationEngine } from './engine.ts'
import type { ContinuationScore, ContinuationTask } from './score-tokens.ts'

/** A request that names its adapter by its hash; null is the base alone. */
export interface HostedRequest {
  readonly promptIds: readonly number[]
  readonly adapterHash: string | null
  readonly options: GenerationOptions
  readonly constraint: EncodedConstraint | null
}

/** A prompt and its continuations; the adapter is named by its hash. */
export type HostedContinuations = Omit<ContinuationTask, 'adapter'> & { readonly adapterHash: string | null }

/** An engine with the adapters of its requests, as promises. */
export class EngineHost {
  readonly #engine: GenerationEngine
  readonly #adapters: AdapterCache
  readonly #fetchAdapter: (hash: string) => Promise<LoraAdapter>

  /** `fetchAdapter` is called for adapters that are not in memory. */
  constructor(
    base: ModelWeights,
    vocabulary: TokenBytes,
    settings: GeneratorSettings,
    fetchAdapter: (hash: string) => Promise<LoraAdapter>,
  ) {
    this.#engine = new GenerationEngine(base, vocabulary, settings)
    this.#adapters = new AdapterCache(base.config, settings.adapterCacheBytes)
    this.#fetchAdapter = fetchAdapter
  }

  /** Throws as `Generator.generate`. */
  async generate({ adapterHash, ...request }: HostedRequest, signal?: AbortSignal): Promise<Generation> {
    const adapter = await this.#adapter(adapterHash)
    return await this.#answer(signal, (answering) => this.#engine.generate({ ...request, adapter }, answering))
  }

  /** Throws as `Generator.logProbs`. */
  async score(
    ids: readonly number[],
    adapterHash: string | null,
    signal?: AbortSignal,
  ): Promise<readonly (number | null)[]> {
    const adapter = await this.#adapter(adapterHash)
    return await this.#answer(signal, (answering) => this.#engine.score(ids, adapter, answering))
  }

  /** Throws as `Generator.scoreContinuations`. */
  async scoreContinuations(
    { adapterHash, ...task }: HostedContinuations,
    signal?: AbortSignal,
  ): Promise<readonly ContinuationScore[]> {
    const adapter = await this.#adapter(adapterHash)
    return await this.#answer(signal, (answering) => this.#engine.scoreContinuations({ ...task, adapter }, answering))
  }

  stats(): GeneratorStats {
    return { ...this.#engine.stats(), ...this.#adapters.stats() }
  }

  /** Answers in progress are rejected with `model_busy`. */
  async close(): Promise<void> {
    await this.#engine.close(closed())
  }

  async #adapter(hash: string | null): Promise<PreparedAdapter | null> {
    if (hash === null) return null
    const known = this.#adapters.find(hash)
    if (known !== undefined) return known
    const adapter = await this.#fetchAdapter(hash)
    // Another request may have made it ready meanwhile.
    return this.#adapters.find(hash) ?? this.#adapters.add(hash, adapter)
  }

  async #answer<T>(signal: AbortSignal | undefined, start: (answering: Answering<T>) => number): Promise<T> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    const id = start({ resolve, reject })
    const abort = (): void => {
      this.#engine.cancel(id)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    return await promise.finally(() => {
      signal?.removeEventListener('abort', abort)
    })
  }
}
