import { Tensor } from 'onnxruntime-node'
import { type Batch, gradientName, NAMES } from '../batch.ts'
import type { EngineOptions, StepResult, TrainingEngine } from './engine.ts'
import { answerFeeds, EngineTensors, floatsOf, rowFeeds, type Tensors, weightFeed } from './engine-tensors.ts'
import { GraphSessions } from './graph-sessions.ts'
import { LOG_PROBS } from '../scoring.ts'
import { trainingGraph } from '../training-graph.ts'

function batchFeeds(batch: Batch): Tensors {
  return {
    [NAMES.tokens]: new Tensor('int64', batch.tokens, [batch.tokens.length]),
    ...rowFeeds(batch),
    ...answerFeeds(batch),
  }
}

/** One graph for the whole pass: the fastest, at the price of keeping every activation until the backward needs it. */
export class WholeGraphEngine implements TrainingEngine {
  readonly #tensors: EngineTensors
  readonly #forward: GraphSessions
  readonly #backward: GraphSessions

  constructor(options: EngineOptions) {
    const { config, trainable, threads, scoring = LOG_PROBS } = options
    this.#tensors = new EngineTensors(options)
    this.#forward = new GraphSessions((bucket) => trainingGraph(config, trainable, bucket, 'forward', scoring), threads)
    this.#backward = new GraphSessions(
      (bucket) => trainingGraph(config, trainable, bucket, 'backward', scoring),
      threads,
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

  async forward(batch: Batch, values?: Float32Array): Promise<Float32Array> {
    const { session, graph } = await this.#forward.get(batch.bucket)
    const find = this.#tensors.lookup(values)
    const feeds = { ...batchFeeds(batch), ...Object.fromEntries(graph.weights.map((name) => [name, find(name)])) }
    return floatsOf(await session.run(feeds), NAMES.scores)
  }

  async step(batch: Batch): Promise<StepResult> {
    const { session, graph } = await this.#backward.get(batch.bucket)
    const find = this.#tensors.lookup()
    const feeds = {
      ...batchFeeds(batch),
      ...weightFeed(batch),
      ...Object.fromEntries(graph.weights.map((name) => [name, find(name)])),
    }
    const outputs = await session.run(feeds, {
      [NAMES.loss]: null,
      [NAMES.scores]: null,
      ...Object.fromEntries(graph.differentiated.map((name) => [gradientName(name), this.#tensors.gradient(name)])),
    })
    return { loss: floatsOf(outputs, NAMES.loss)[0] ?? NaN, scores: floatsOf(outputs, NAMES.scores) }
  }

  async release(): Promise<void> {
    await this.#forward.release()
    await this.#backward.release()
  }
}
