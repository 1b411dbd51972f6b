import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { GatewayProvider } from '../../calls/providers.ts'
import { ProviderError } from '../../providers/provider-error.ts'
import { listModels, type ListedModel, type ListReach } from './list-models.ts'
import type { Upstream } from './upstream.ts'

/** A provider's answer, or why it gave none. */
type Listed = readonly ListedModel[] | ProviderError

const KEPT_MS = 60_000
const FAILURE_KEPT_MS = 10_000
/** Models of all lists together. */
const MOST_KEPT = 50_000

/** The lists of models of this process, by address and key: each is asked for once a minute. */
export class ModelLists {
  readonly #upstream: Upstream
  readonly #kept = new LRUCache<string, Listed>({
    maxSize: MOST_KEPT,
    sizeCalculation: (listed) => (listed instanceof ProviderError ? 1 : listed.length + 1),
  })
  readonly #underWay = new Map<string, Promise<Listed>>()

  constructor(upstream: Upstream) {
    this.#upstream = upstream
  }

  /**
   * Returns the models that a provider lists for a key. `admit` runs before the provider is asked, and may throw; it does not
   * run for a list that is known or under way. Throws `ProviderError`, which is kept for ten seconds.
   */
  async list(provider: GatewayProvider, reach: ListReach, admit: () => Promise<void>): Promise<readonly ListedModel[]> {
    const key = hash('sha256', `${provider.speaks[0]?.[0]} ${reach.baseUrl}${provider.modelList} ${reach.apiKey}`)
    let listed = this.#kept.get(key) ?? (await this.#underWay.get(key))
    if (listed === undefined) {
      await admit()
      // Another caller may have asked meanwhile.
      listed = this.#kept.get(key) ?? (await (this.#underWay.get(key) ?? this.#ask(key, provider, reach)))
    }
    if (listed instanceof ProviderError) throw listed
    return listed
  }

  #ask(key: string, provider: GatewayProvider, reach: ListReach): Promise<Listed> {
    const work = this.#listed(provider, reach)
      .then((listed) => {
        this.#kept.set(key, listed, { ttl: listed instanceof ProviderError ? FAILURE_KEPT_MS : KEPT_MS })
        return listed
      })
      .finally(() => this.#underWay.delete(key))
    this.#underWay.set(key, work)
    return work
  }

  async #listed(provider: GatewayProvider, reach: ListReach): Promise<Listed> {
    try {
      return await listModels(this.#upstream, provider, reach)
    } catch (error) {
      if (error instanceof ProviderError) return error
      throw error
    }
  }
}
