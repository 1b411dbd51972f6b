import { type InferenceSession, Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../../config/model-config.ts'
import { openSession } from '../../graph/session.ts'
import { AdapterRows } from './adapter-rows.ts'
import { cacheNames, inferenceGraph } from './inference-graph.ts'
import { causalMask, MASKED, type ModelWeights, placeWeights, type PlacedWeights } from './graph-inputs.ts'
import { expertFetches, expertMasks, tellExperts } from './expert-rows.ts'
import { KvCache } from './kv-cache.ts'
import type { RowTokens } from './row-tokens.ts'

/** A base that reads tokens into a cache and answers with logits. */
export class CachedModel {
  readonly config: ModelConfig
  readonly cache: KvCache
  readonly #threads: number
  readonly #placed: PlacedWeights
  readonly #adapterRows: AdapterRows
  /** With and without inputs for adapters; each is built when it is first needed. */
  readonly #sessions = new Map<boolean, Promise<InferenceSession>>()
  readonly #newMasks = new Map<number, Tensor>()
  readonly #fetches: Record<string, null>

  constructor(base: ModelWeights, threads: number) {
    this.config = base.config
    this.#threads = threads
    this.cache = new KvCache(base.config)
    this.#adapterRows = new AdapterRows(base.config)
    this.#placed = placeWeights(base)
    this.#fetches = { logits: null }
    for (let layer = 0; layer < base.config.layers; layer++) {
      const { newKey, newValue } = cacheNames(layer)
      this.#fetches[newKey] = null
      this.#fetches[newValue] = null
    }
  }

  /**
   * Reads new tokens of the rows from `first` on into the cache; rows may bring different numbers of them. Answers with
   * the logits that were asked for, [vocab] each, row after row.
   */
  async read(first: number, rows: readonly RowTokens[]): Promise<readonly Float32Array[]> {
    const { cache, config } = this
    const tokens = Math.max(...rows.map(({ ids }) => ids.length))
    const pasts = rows.map((_, index) => cache.lengths[first + index] ?? 0)
    cache.ensureCapacity(Math.max(...rows.map(({ ids }, index) => ids.length + (pasts[index] ?? 0))))
    const adapters = rows.map(({ adapter }) => adapter)
    const hasAdapters = adapters.some((adapter) => adapter !== null)
    const session = await this.#session(hasAdapters)
    const outputs = await session.run(
      {
        ...this.#placed.feeds,
        ...this.#tokenFeeds(rows, pasts, tokens),
        ...this.#cacheFeeds(first, rows.length, Math.max(...pasts) === 0 ? 0 : cache.capacity),
        ...(hasAdapters ? this.#adapterRows.feeds(adapters) : {}),
        ...expertMasks(config, rows),
      },
      { ...this.#fetches, ...expertFetches(config, rows) },
    )
    tellExperts(config, rows, tokens, outputs)
    const added = Array.from({ length: config.layers }, (_, layer) => {
      const { newKey, newValue } = cacheNames(layer)
      return [floatsOf(outputs[newKey]), floatsOf(outputs[newValue])]
    }).flat()
    const counts = rows.map(({ ids }) => ids.length)
    cache.append(first, counts, tokens, added)
    const logits = floatsOf(outputs['logits'])
    const count = rows.reduce((sum, { logitsAt }) => sum + logitsAt.length, 0)
    return Array.from({ length: count }, (_, index) =>
      logits.subarray(index * config.vocabSize, (index + 1) * config.vocabSize),
    )
  }

  /** Lets go of the adapters of the last batch. */
  forgetAdapters(): void {
    this.#adapterRows.clear()
  }

  async close(): Promise<void> {
    for (const session of this.#sessions.values()) await (await session).release()
    this.#sessions.clear()
  }

  async #session(hasAdapters: boolean): Promise<InferenceSession> {
    const known = this.#sessions.get(hasAdapters)
    if (known !== undefined) return await known
    const model = inferenceGraph(this.config, { output: 'logits', hasAdapters, constants: this.#placed.constants })
    const opened = openSession(model, { threads: this.#threads, spinning: false })
    this.#sessions.set(hasAdapters, opened)
    return await opened
  }

  #tokenFeeds(rows: readonly RowTokens[], pasts: readonly number[], tokens: number): Record<string, Tensor> {
    const ids = new BigInt64Array(rows.length * tokens)
    const positions = new BigInt64Array(rows.length * tokens)
    const wanted: bigint[] = []
    for (const [row, { ids: given, logitsAt }] of rows.entries()) {
      const past = pasts[row] ?? 0
      for (const [at, id] of given.entries()) {
        ids[row * tokens + at] = BigInt(id)
        positions[row * tokens + at] = BigInt(past + at)
      }
      for (const at of logitsAt) wanted.push(BigInt(row * tokens + at))
    }
    return {
      ids: new Tensor('int64', ids, [rows.length, tokens]),
      positions: new Tensor('int64', positions, [rows.length, tokens]),
      // Padding and unfinished prompts give no logits, but the product needs a row.
      rows: new Tensor('int64', BigInt64Array.from(wanted.length > 0 ? wanted : [0n]), [Math.max(1, wanted.length)]),
      new_mask: this.#newMask(tokens),
      ...maskFeeds(pasts, Math.max(...pasts) === 0 ? 0 : this.cache.capacity, tokens),
    }
  }

  #cacheFeeds(first: number, count: number, past: number): Record<string, Tensor> {
    const feeds: Record<string, Tensor> = {}
    const shape = [count, this.config.kvHeads, past, this.config.headDim]
    const rows = (part: number): Tensor =>
      new Tensor('float32', past === 0 ? new Float32Array() : this.cache.rows(part, first, count), shape)
    for (let layer = 0; layer < this.config.layers; layer++) {
      const { pastKey, pastValue } = cacheNames(layer)
      feeds[pastKey] = rows(layer * 2)
      feeds[pastValue] = rows(layer * 2 + 1)
    }
    return feeds
  }

  /** Causal mask of new tokens among themselves, repeated for each query head of a group. */
  #newMask(tokens: number): Tensor {
    const known = this.#newMasks.get(tokens)
    if (known !== undefined) return known
    const tensor = causalMask(this.config, tokens)
    if (tokens === 1) this.#newMasks.set(tokens, tensor)
    return tensor
  }
}

function maskFeeds(pasts: readonly number[], capacity: number, tokens: number): Record<string, Tensor> {
  const mask = new Float32Array(pasts.length * capacity)
  for (const [row, past] of pasts.entries()) mask.fill(MASKED, row * capacity + past, (row + 1) * capacity)
  return {
    past_mask: new Tensor('float32', mask, [pasts.length, 1, 1, capacity]),
    lengths: new Tensor('int64', BigInt64Array.of(BigInt(capacity), BigInt(tokens)), [2]),
  }
}

function floatsOf(tensor: Tensor | undefined): Float32Array {
  if (tensor === undefined || !(tensor.data instanceof Float32Array)) throw new Error('The graph gave no such output')
  return tensor.data
}
