import { type InferenceSession, Tensor } from 'onnxruntime-node'
import type { Sha256 } from '../../kernel/json/json.ts'
import { MODEL_ERRORS } from '../errors.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { openBaseModel, type OpenedBase } from '../files/base-model.ts'
import { openSession } from '../graph/session.ts'
import { causalMask, placeWeights, type PlacedWeights } from '../llama/inference/graph-inputs.ts'
import { cacheNames, inferenceGraph } from '../llama/inference/inference-graph.ts'
import { normalised } from './normalised.ts'

/** Tokens of one text that count; a chunk of a document has fewer. */
const MOST_TOKENS = 2048
/** Tokens of one run, padding included. */
const BATCH_TOKENS = 4096

/** A decoder whose normalised state behind the last token of a text is the text's vector. */
export class EmbeddingModel {
  readonly weightsHash: Sha256
  readonly #config: ModelConfig
  readonly #tokenizer: OpenedBase['tokenizer']
  readonly #placed: PlacedWeights
  readonly #session: InferenceSession

  private constructor({ model, tokenizer }: OpenedBase, placed: PlacedWeights, session: InferenceSession) {
    this.#config = model.config
    this.#tokenizer = tokenizer
    this.weightsHash = model.weightsHash
    this.#placed = placed
    this.#session = session
  }

  /** Reads a folder. Throws `invalid_model` or `unsupported_architecture`. */
  static async open(directory: string, threads: number): Promise<EmbeddingModel> {
    const base = await openBaseModel(directory, { isHeadless: true })
    const placed = placeWeights(base.model)
    const graph = inferenceGraph(base.model.config, {
      output: 'hidden',
      hasAdapters: false,
      constants: placed.constants,
    })
    return new EmbeddingModel(base, placed, await openSession(graph, { threads }))
  }

  /** Numbers of a vector. */
  get dimensions(): number {
    return this.#config.hiddenSize
  }

  /**
   * Returns the vectors of texts, one behind another, each of length 1. Texts of about one length are computed together;
   * `between` runs after each such batch and may throw to end the work.
   */
  async embed(texts: readonly string[], between: () => void = () => undefined): Promise<Float32Array> {
    const vectors = new Float32Array(texts.length * this.dimensions)
    const rows = texts
      .map((text, place) => ({ place, ids: this.#idsOf(text) }))
      .toSorted((one, other) => one.ids.length - other.ids.length)
    for (let first = 0; first < rows.length;) {
      let count = 1
      while (first + count < rows.length && (rows[first + count]?.ids.length ?? 0) * (count + 1) <= BATCH_TOKENS)
        count++
      const batch = rows.slice(first, first + count)
      const states = await this.#run(batch.map(({ ids }) => ids))
      for (const [at, { place }] of batch.entries()) {
        vectors.set(
          normalised(states.subarray(at * this.dimensions, (at + 1) * this.dimensions)),
          place * this.dimensions,
        )
      }
      between()
      first += count
    }
    return vectors
  }

  async close(): Promise<void> {
    await this.#session.release()
  }

  /** The tokens of a text with those that the tokenizer adds; of a long one the end is cut and the added tokens stay. */
  #idsOf(text: string): readonly number[] {
    const most = Math.min(MOST_TOKENS, this.#config.contextLength)
    const ids = this.#tokenizer.encode(text, { addSpecial: true })
    if (ids.length === 0)
      throw MODEL_ERRORS.invalid_model('the tokenizer of the model of embeddings has no token for a text')
    if (ids.length <= most) return ids
    const added = ids.length - this.#tokenizer.encode(text).length
    return [...ids.slice(0, most - added), ...ids.slice(ids.length - added)]
  }

  async #run(rows: readonly (readonly number[])[]): Promise<Float32Array> {
    const { layers, kvHeads, headDim } = this.#config
    const tokens = Math.max(...rows.map((ids) => ids.length))
    const ids = new BigInt64Array(rows.length * tokens)
    const positions = new BigInt64Array(rows.length * tokens)
    for (const [row, given] of rows.entries()) {
      for (const [at, id] of given.entries()) {
        ids[row * tokens + at] = BigInt(id)
        positions[row * tokens + at] = BigInt(at)
      }
    }
    const last = BigInt64Array.from(rows.map((given, row) => BigInt(row * tokens + given.length - 1)))
    const empty = new Tensor('float32', new Float32Array(), [rows.length, kvHeads, 0, headDim])
    const past = Array.from({ length: layers }, (_, layer) => {
      const { pastKey, pastValue } = cacheNames(layer)
      return [
        [pastKey, empty],
        [pastValue, empty],
      ] as const
    }).flat()
    const { hidden } = await this.#session.run({
      ...this.#placed.feeds,
      ...Object.fromEntries(past),
      ids: new Tensor('int64', ids, [rows.length, tokens]),
      positions: new Tensor('int64', positions, [rows.length, tokens]),
      rows: new Tensor('int64', last, [rows.length]),
      new_mask: causalMask(this.#config, tokens),
      past_mask: new Tensor('float32', new Float32Array(), [rows.length, 1, 1, 0]),
      lengths: new Tensor('int64', BigInt64Array.of(0n, BigInt(tokens)), [2]),
    })
    if (!(hidden?.data instanceof Float32Array)) throw new Error('The graph gave no hidden states')
    return hidden.data
  }
}
