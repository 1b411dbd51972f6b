import { Tensor } from 'onnxruntime-node'
import { type Batch, gradientName, NAMES } from '../batch.ts'
import type { EngineOptions, StepResult, TrainingEngine } from './engine.ts'
import { answerFeeds, EngineTensors, floatsOf, rowFeeds, type Tensors, weightFeed } from './engine-tensors.ts'
import { ScoredSessions } from './graph-sessions.ts'
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
  readonly #forward: ScoredSessions
  readonly #backward: ScoredSessions

  constructor(options: EngineOptions) {
    const { config, trainable } = options
    this.#tensors = new EngineTensors(options)
    this.#forward = new ScoredSessions(
      (bucket, scoring) => trainingGraph(config, trainable, bucket, 'forward', scoring),
      options,
    )
    this.#backward = new ScoredSessions(
      (bucket, scoring) => trainingGraph(config, trainable, bucket, 'backward', scoring),
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

  async forward(batch: Batch, values?: Float32Array): Promise<Float32Array> {
    const { session, graph } = await this.#forward.get(batch)
    const find = this.#tensors.lookup(values)
    const feeds = { ...batchFeeds(batch), ...Object.fromEntries(graph.weights.map((name) => [name, find(name)])) }
    return floatsOf(await session.run(feeds), NAMES.scores)
  }

  async step(batch: Batch): Promise<StepResult> {
    const { session, graph } = await this.#backward.get(batch)
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
