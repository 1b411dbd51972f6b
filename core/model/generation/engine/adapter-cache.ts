import { LRUCache } from 'lru-cache'
import type { ModelConfig } from '../../config/model-config.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import { prepareAdapter, type PreparedAdapter } from '../../llama/inference/adapter-rows.ts'

/** Adapters made ready for one base, the last used ones within a bound of bytes. */
export class AdapterCache {
  readonly #config: ModelConfig
  readonly #kept: LRUCache<string, PreparedAdapter>

  constructor(config: ModelConfig, maxBytes: number) {
    this.#config = config
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ sizeBytes }) => sizeBytes })
  }

  find(hash: string): PreparedAdapter | undefined {
    return this.#kept.get(hash)
  }

  /** Makes an adapter ready. One that is larger than the bound is not kept. */
  add(hash: string, adapter: LoraAdapter): PreparedAdapter {
    const prepared = prepareAdapter(this.#config, adapter)
    this.#kept.set(hash, prepared)
    return prepared
  }

  stats(): { readonly adaptersKept: number; readonly adapterBytes: number } {
    return { adaptersKept: this.#kept.size, adapterBytes: this.#kept.calculatedSize }
  }
}
