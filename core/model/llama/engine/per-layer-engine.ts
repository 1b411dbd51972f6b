import { Tensor } from 'onnxruntime-node'
import { EMBEDDING } from '../../config/weight-names.ts'
import { type Batch, gradientName, NAMES } from '../batch.ts'
import type { EngineOptions, StepResult, TrainingEngine } from './engine.ts'
import { answerFeeds, EngineTensors, floatsOf, rowFeeds, type Tensors, weightFeed } from './engine-tensors.ts'
import { GraphSessions, ScoredSessions } from './graph-sessions.ts'
import { FIRST_LAYER, headGraph, layerGraph } from '../layer-graphs.ts'
import type { TrainingGraph } from '../training-graph.ts'

type Lookup = (name: string) => Tensor

function layerName(name: string, layer: number): string {
  return name.startsWith(FIRST_LAYER) ? `model.layers.${layer}.${name.slice(FIRST_LAYER.length)}` : name
}

function weightFeeds(graph: Pick<TrainingGraph, 'weights'>, layer: number, find: Lookup): Tensors {
  return Object.fromEntries(graph.weights.map((name) => [name, find(layerName(name, layer))]))
}

/** Float data of a tensor that lies in this process's memory. */
function numbers(tensor: Tensor): Float32Array {
  if (!(tensor.data instanceof Float32Array)) throw new Error('A float32 tensor is needed')
  return tensor.data
}

/**
 * One small graph per layer, run layer by layer: between the passes only the layers' inputs are kept and everything
 * else is computed again. About 0.75 of the speed of the whole graph at a fraction of its memory (gradient
 * checkpointing, Chen et al. 2016). Other work of the process runs between layers.
 */
export class PerLayerEngine implements TrainingEngine {
  readonly #options: EngineOptions
  readonly #tensors: EngineTensors
  readonly #layerForward: GraphSessions
  readonly #layerBackward: GraphSessions
  readonly #headForward: ScoredSessions
  readonly #headBackward: ScoredSessions

  constructor(options: EngineOptions) {
    const { config, trainable, threads } = options
    this.#options = options
    this.#tensors = new EngineTensors(options)
    this.#layerForward = new GraphSessions((bucket) => layerGraph(config, trainable, bucket, 'forward'), threads)
    this.#layerBackward = new GraphSessions((bucket) => layerGraph(config, trainable, bucket, 'backward'), threads)
    this.#headForward = new ScoredSessions(
      (bucket, scoring) => headGraph(config, trainable, bucket, 'forward', scoring),
      options,
    )
    this.#headBackward = new ScoredSessions(
      (bucket, scoring) => headGraph(config, trainable, bucket, 'backward', scoring),
      options,
    )
  }

  get parameters(): TrainingEngine['parameters'] {
    return this.#tensors.parameters
  }

  get values(): Float32Array {
    return this.#tensors.values
  }

  get gradients(): Float32Array {
    return this.#tensors.gradients
  }

  #empty(rows: number): Tensor {
    const { hiddenSize } = this.#options.config
    return new Tensor('float32', new Float32Array(rows * hiddenSize), [rows, hiddenSize])
  }

  #embed(batch: Batch, find: Lookup): Tensor {
    const { hiddenSize } = this.#options.config
    const table = numbers(find(EMBEDDING))
    const hidden = this.#empty(batch.tokens.length)
    const rows = numbers(hidden)
    for (const [row, token] of batch.tokens.entries()) {
      const start = Number(token) * hiddenSize
      rows.set(table.subarray(start, start + hiddenSize), row * hiddenSize)
    }
    return hidden
  }

  /** Inputs of every layer and, last, of the head. */
  async #hiddenStates(batch: Batch, find: Lookup, keepsAll: boolean): Promise<readonly Tensor[]> {
    const { session, graph } = await this.#layerForward.get(batch.bucket)
    const rows = rowFeeds(batch)
    let hidden = this.#embed(batch, find)
    const states = [hidden]
    for (let layer = 0; layer < this.#options.config.layers; layer++) {
      const next = this.#empty(batch.tokens.length)
      const feeds = { ...rows, ...weightFeeds(graph, layer, find), [NAMES.hidden]: hidden }
      await session.run(feeds, { [NAMES.hiddenOut]: next })
      if (!keepsAll) states.length = 0
      states.push(next)
      hidden = next
    }
    return states
  }

  async forward(batch: Batch, values?: Float32Array): Promise<Float32Array> {
    const find = this.#tensors.lookup(values)
    const states = await this.#hiddenStates(batch, find, false)
    const { session, graph } = await this.#headForward.get(batch)
    const hidden = states.at(-1) ?? this.#empty(0)
    const feeds = { ...answerFeeds(batch), ...weightFeeds(graph, 0, find), [NAMES.hidden]: hidden }
    return floatsOf(await session.run(feeds), NAMES.scores)
  }

  async step(batch: Batch): Promise<StepResult> {
    const find = this.#tensors.lookup()
    const states = await this.#hiddenStates(batch, find, true)
    const head = await this.#headBackward.get(batch)
    let gradient = this.#empty(batch.tokens.length)
    const outputs = await head.session.run(
      {
        ...answerFeeds(batch),
        ...weightFeed(batch),
        ...weightFeeds(head.graph, 0, find),
        [NAMES.hidden]: states.at(-1) ?? gradient,
      },
      {
        [NAMES.loss]: null,
        [NAMES.scores]: null,
        [gradientName(NAMES.hidden)]: gradient,
        ...this.#gradientOutputs(head.graph, 0),
      },
    )
    const { session, graph } = await this.#layerBackward.get(batch.bucket)
    const rows = rowFeeds(batch)
    for (let layer = this.#options.config.layers - 1; layer >= 0; layer--) {
      const below = this.#empty(batch.tokens.length)
      const feeds = {
        ...rows,
        ...weightFeeds(graph, layer, find),
        [NAMES.hidden]: states[layer] ?? below,
        [NAMES.outputGradient]: gradient,
      }
      await session.run(feeds, { [gradientName(NAMES.hidden)]: below, ...this.#gradientOutputs(graph, layer) })
      gradient = below
    }
    if (this.#options.trainable.mode === 'full') this.#addEmbeddingGradient(batch, numbers(gradient))
    return { loss: floatsOf(outputs, NAMES.loss)[0] ?? NaN, scores: floatsOf(outputs, NAMES.scores) }
  }

  #gradientOutputs(graph: Pick<TrainingGraph, 'differentiated'>, layer: number): Tensors {
    return Object.fromEntries(
      graph.differentiated.map((name) => [gradientName(name), this.#tensors.gradient(layerName(name, layer))]),
    )
  }

  /** Adds each row's gradient to its token's; with tied embeddings the head has written its own part before. */
  #addEmbeddingGradient(batch: Batch, rows: Float32Array): void {
    const { hiddenSize, tiedEmbeddings } = this.#options.config
    const sums = numbers(this.#tensors.gradient(EMBEDDING))
    if (!tiedEmbeddings) sums.fill(0)
    for (const [row, token] of batch.tokens.entries()) {
      const start = Number(token) * hiddenSize
      for (let column = 0; column < hiddenSize; column++) {
        sums[start + column] = (sums[start + column] ?? 0) + (rows[row * hiddenSize + column] ?? 0)
      }
    }
  }

  async release(): Promise<void> {
    for (const sessions of [this.#layerForward, this.#layerBackward, this.#headForward, this.#headBackward]) {
      await sessions.release()
    }
  }
}
