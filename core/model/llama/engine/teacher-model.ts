import { Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../../config/model-config.ts'
import { refuseExperts } from '../../config/experts-config.ts'
import type { LoraAdapter } from '../../files/lora-adapter.ts'
import type { TensorData } from '../../files/tensors.ts'
import { type Batch, NAMES } from '../batch.ts'
import type { LoraTrainable } from '../parameters.ts'
import { setAdapter } from '../adapter-values.ts'
import { headName } from '../scoring.ts'
import { statesGraph } from '../training-graph.ts'
import { EngineTensors, floatsOf, positionFeed, rowFeeds } from './engine-tensors.ts'
import { GraphSessions } from './graph-sessions.ts'

/** A base, or an adapter on it, that scores tokens for a student. */
export interface TeacherOptions {
  readonly config: ModelConfig
  readonly weights: ReadonlyMap<string, TensorData>
  readonly adapter: LoraAdapter | null
  readonly threads: number
}

const NO_ADAPTER: LoraTrainable = { mode: 'lora', rank: 1, alpha: 1, targetModules: [] }

/** The factors that an adapter trains, or none. */
export function teacherTrainable(adapter: LoraAdapter | null): LoraTrainable {
  return adapter === null ? NO_ADAPTER : { mode: 'lora', ...adapter.config }
}

/**
 * Reads the rows of a batch as a teacher: forward only, as far as its hidden states, from which the student's graph makes
 * the logits slice by slice. Throws `unsupported_architecture` for experts.
 */
export class TeacherModel {
  readonly #tensors: EngineTensors
  readonly #sessions: GraphSessions
  readonly #head: TensorData

  constructor({ config, weights, adapter, threads }: TeacherOptions) {
    refuseExperts(config, 'training')
    const trainable = teacherTrainable(adapter)
    this.#tensors = new EngineTensors({ config, weights, trainable, threads })
    if (adapter !== null) setAdapter(this.#tensors.values, this.#tensors.parameters, adapter)
    this.#sessions = new GraphSessions((bucket) => statesGraph(config, trainable, bucket), threads)
    const head = weights.get(headName(config))
    if (head === undefined) throw new Error(`The teacher has no weight ${headName(config)}`)
    this.#head = head
  }

  /** The matrix that turns the states into logits, [vocabulary, hidden]. */
  get head(): TensorData {
    return this.#head
  }

  /** Normed hidden states at the answers of a batch, [answers, hidden]. */
  async states(batch: Omit<Batch, 'weights'>): Promise<Float32Array> {
    const { session, graph } = await this.#sessions.get(batch.bucket)
    const find = this.#tensors.lookup()
    const outputs = await session.run({
      [NAMES.tokens]: new Tensor('int64', batch.tokens, [batch.tokens.length]),
      ...rowFeeds(batch),
      ...positionFeed(batch),
      ...Object.fromEntries(graph.weights.map((name) => [name, find(name)])),
    })
    return floatsOf(outputs, NAMES.hiddenOut)
  }

  async release(): Promise<void> {
    await this.#sessions.release()
  }
}
