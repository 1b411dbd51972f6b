import { Worker } from 'node:worker_threads'
import { KERNEL_ERRORS, type DomainError } from '../../../kernel/errors.ts'
import { unpackThreadError } from '../../../kernel/threads/thread-error.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { ModelWeights } from '../../llama/inference/cached-model.ts'
import type { Tokenizer } from '../../tokenizer/tokenizer.ts'
import { collectTokenBytes } from '../constraints/token-trie.ts'
import { encodeConstraint } from '../encode-constraint.ts'
import { closed } from '../engine/engine-host.ts'
import {
  type AdapterRef,
  completeSettings,
  type GenerateRequest,
  type Generator,
  type GeneratorSettings,
  type GeneratorStats,
  type ScoreRequest,
} from '../generator.ts'
import { completeOptions, type Generation } from '../options.ts'
import type { FromThread, ThreadStart, ToThread } from './messages.ts'

/** Creates a generator in a separate thread, which shares the memory of the weights with this one. */
export function openGenerator(
  base: ModelWeights,
  tokenizer: Tokenizer,
  settings: Partial<GeneratorSettings> = {},
): Generator {
  return new ThreadGenerator(base, tokenizer, completeSettings(base, settings))
}

interface Call {
  readonly settle: (message: FromThread) => void
  readonly reject: (error: unknown) => void
}

class ThreadGenerator implements Generator {
  readonly #tokenizer: Tokenizer
  readonly #worker: Worker
  readonly #calls = new Map<number, Call>()
  /** Adapters of running requests: the thread may request them. */
  readonly #adapters = new Map<string, { readonly adapter: LoraAdapter; uses: number }>()
  #nextCall = 0
  #end: DomainError | null = null

  constructor(base: ModelWeights, tokenizer: Tokenizer, settings: GeneratorSettings) {
    this.#tokenizer = tokenizer
    const vocabulary = collectTokenBytes((id) => tokenizer.tokenBytes(id), base.config.vocabSize)
    const start: ThreadStart = { base: { config: base.config, weights: base.weights }, vocabulary, settings }
    this.#worker = new Worker(new URL('./generation-thread.ts', import.meta.url), { workerData: start })
    this.#worker.on('message', (message: FromThread) => {
      this.#receive(message)
    })
    this.#worker.on('error', (cause) => {
      this.#finish(KERNEL_ERRORS.internal('the thread of a base has stopped', { cause }))
    })
    this.#worker.on('exit', () => {
      this.#finish(closed())
    })
    // An idle generator keeps no process alive.
    this.#worker.unref()
  }

  get hasEnded(): boolean {
    return this.#end !== null
  }

  async generate({ promptIds, adapter, options = {}, signal }: GenerateRequest): Promise<Generation> {
    const complete = completeOptions(options)
    const constraint = encodeConstraint(complete.constraint, this.#tokenizer)
    const request = { promptIds, adapterHash: adapter?.hash ?? null, options: complete, constraint }
    const message = await this.#withAdapter(
      adapter,
      async () => await this.#call((call) => ({ type: 'generate', call, request }), signal),
    )
    if (message.type !== 'generation') throw new Error(`The thread answered with ${message.type}`)
    return message.value
  }

  async logProbs({ ids, adapter, signal }: ScoreRequest): Promise<readonly (number | null)[]> {
    const adapterHash = adapter?.hash ?? null
    const message = await this.#withAdapter(
      adapter,
      async () => await this.#call((call) => ({ type: 'score', call, ids, adapterHash }), signal),
    )
    if (message.type !== 'scores') throw new Error(`The thread answered with ${message.type}`)
    return message.value
  }

  async stats(): Promise<GeneratorStats> {
    const message = await this.#call((call) => ({ type: 'stats', call }), undefined)
    if (message.type !== 'stats') throw new Error(`The thread answered with ${message.type}`)
    return message.value
  }

  async close(): Promise<void> {
    if (this.#end !== null) return
    try {
      await this.#call((call) => ({ type: 'close', call }), undefined)
    } catch (error) {
      // A thread that has stopped meanwhile is closed all the same.
      if (!this.hasEnded) throw error
    }
    await this.#worker.terminate()
  }

  async #withAdapter<T>(ref: AdapterRef | undefined, task: () => Promise<T>): Promise<T> {
    if (ref === undefined) return await task()
    const held = this.#adapters.get(ref.hash) ?? { adapter: ref.adapter, uses: 0 }
    held.uses++
    this.#adapters.set(ref.hash, held)
    try {
      return await task()
    } finally {
      held.uses--
      if (held.uses === 0) this.#adapters.delete(ref.hash)
    }
  }

  async #call(messageOf: (call: number) => ToThread, signal: AbortSignal | undefined): Promise<FromThread> {
    signal?.throwIfAborted()
    if (this.#end !== null) throw this.#end
    const call = this.#nextCall++
    const { promise, resolve: settle, reject } = Promise.withResolvers<FromThread>()
    this.#calls.set(call, { settle, reject })
    this.#worker.ref()
    this.#worker.postMessage(messageOf(call))
    const abort = (): void => {
      this.#worker.postMessage({ type: 'cancel', call } satisfies ToThread)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    return await promise.finally(() => {
      signal?.removeEventListener('abort', abort)
      this.#calls.delete(call)
      if (this.#calls.size === 0) this.#worker.unref()
    })
  }

  #receive(message: FromThread): void {
    if (message.type === 'wanted') {
      const { hash } = message
      // Every request that named it may have been cancelled: the thread then has to request it again for the next one.
      const adapter = this.#adapters.get(hash)?.adapter ?? null
      this.#worker.postMessage({ type: 'adapter', hash, adapter } satisfies ToThread)
      return
    }
    const call = this.#calls.get(message.call)
    if (message.type === 'failed') call?.reject(unpackThreadError(message.error))
    else call?.settle(message)
  }

  #finish(reason: DomainError): void {
    this.#end ??= reason
    for (const { reject } of this.#calls.values()) reject(this.#end)
  }
}
