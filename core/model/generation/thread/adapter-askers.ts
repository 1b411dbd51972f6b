import type { RunningTask } from '../../../kernel/threads/serve-tasks.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'

/** A task whose caller has an adapter. */
export type Asker = Pick<RunningTask<'wants_adapter', LoraAdapter>, 'tell' | 'next'>

/** Fetches adapters from the callers of the tasks that name them: one caller at a time sends one adapter. */
export class AdapterAskers {
  readonly #askers = new Map<string, Set<Asker>>()
  readonly #arriving = new Map<string, Promise<LoraAdapter>>()

  /** Runs a task that may need the adapter. */
  async during<T>(hash: string | null, asker: Asker, work: () => Promise<T>): Promise<T> {
    if (hash === null) return await work()
    const askers = this.#askers.get(hash) ?? new Set()
    this.#askers.set(hash, askers.add(asker))
    try {
      return await work()
    } finally {
      this.#remove(hash, asker)
    }
  }

  /** The adapter. Throws when every task that names it was cancelled. */
  async fetch(hash: string): Promise<LoraAdapter> {
    const known = this.#arriving.get(hash)
    if (known !== undefined) return await known
    const arrival = this.#ask(hash).finally(() => this.#arriving.delete(hash))
    this.#arriving.set(hash, arrival)
    return await arrival
  }

  async #ask(hash: string): Promise<LoraAdapter> {
    for (;;) {
      const [asker] = this.#askers.get(hash) ?? []
      if (asker === undefined) throw new Error('the requests for this adapter were cancelled')
      asker.tell('wants_adapter')
      try {
        return await asker.next()
      } catch {
        // Its caller gave up: another one may still want the adapter.
        this.#remove(hash, asker)
      }
    }
  }

  #remove(hash: string, asker: Asker): void {
    const askers = this.#askers.get(hash)
    askers?.delete(asker)
    if (askers?.size === 0) this.#askers.delete(hash)
  }
}
