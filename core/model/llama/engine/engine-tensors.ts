import { Tensor } from 'onnxruntime-node'
import { type Batch, NAMES } from '../batch.ts'
import { TEACHER_HEAD } from '../scoring.ts'
import type { EngineOptions } from './engine.ts'
import { type Parameter, trainableParameters } from '../parameters.ts'

export type Tensors = Record<string, Tensor>

/** Returns tensors over the parts of one flat array, without copying. */
export function parameterTensors(parameters: readonly Parameter[], flat: Float32Array): ReadonlyMap<string, Tensor> {
  return new Map(
    parameters.map(({ name, shape, offset, size }) => [
      name,
      new Tensor('float32', flat.subarray(offset, offset + size), shape),
    ]),
  )
}

/** Everything that every pass feeds: frozen weights, trainable numbers and where gradients land. */
export class EngineTensors {
  readonly parameters: readonly Parameter[]
  readonly values: Float32Array
  readonly gradients: Float32Array
  readonly #weights = new Map<string, Tensor>()
  readonly #trainable: ReadonlyMap<string, Tensor>
  readonly #gradients: ReadonlyMap<string, Tensor>

  constructor({ config, weights, trainable, teacherHead }: EngineOptions) {
    this.parameters = trainableParameters(config, trainable)
    const size = this.parameters.reduce((total, parameter) => total + parameter.size, 0)
    this.values = new Float32Array(size)
    this.gradients = new Float32Array(size)
    for (const { name, offset } of this.parameters) {
      const weight = weights.get(name)
      if (weight !== undefined) this.values.set(weight.data, offset)
    }
    for (const [name, { data, shape }] of weights) this.#weights.set(name, new Tensor('float32', data, shape))
    if (teacherHead !== undefined) {
      this.#weights.set(TEACHER_HEAD, new Tensor('float32', teacherHead.data, teacherHead.shape))
    }
    this.#trainable = parameterTensors(this.parameters, this.values)
    this.#gradients = parameterTensors(this.parameters, this.gradients)
  }

  /** Looks up tensors by name, trainable ones in `values`, or in the engine's own numbers when it is omitted. */
  lookup(values?: Float32Array): (name: string) => Tensor {
    const trainable = values === undefined ? this.#trainable : parameterTensors(this.parameters, values)
    return (name) => {
      const tensor = trainable.get(name) ?? this.#weights.get(name)
      if (tensor === undefined) throw new Error(`The base has no weight ${name}`)
      return tensor
    }
  }

  gradient(name: string): Tensor {
    const tensor = this.#gradients.get(name)
    if (tensor === undefined) throw new Error(`${name} is not trained`)
    return tensor
  }
}

/** Inputs that describe the packed rows. */
export function rowFeeds({ bucket, positions, segments }: Omit<Batch, 'weights'>): Tensors {
  const dims = [bucket.bins, bucket.length]
  return {
    [NAMES.positions]: new Tensor('int64', positions, dims),
    [NAMES.segments]: new Tensor('int64', segments, dims),
  }
}

/** Inputs that describe the answers to score. */
export function answerFeeds(batch: Batch): Tensors {
  return { ...positionFeed(batch), ...scoringFeeds(batch) }
}

/** The positions of the answers. */
export function positionFeed({ bucket, answerPositions }: Pick<Batch, 'bucket' | 'answerPositions'>): Tensors {
  return { [NAMES.answerPositions]: new Tensor('int64', answerPositions, [bucket.answers]) }
}

function scoringFeeds({ bucket: { answers }, targets, teacher }: Batch): Tensors {
  switch (teacher?.form) {
    case undefined:
      return { [NAMES.targets]: new Tensor('int64', targets, [answers]) }
    case 'hidden':
      return { [NAMES.teacherStates]: matrix(teacher.states, answers) }
    case 'logits':
      return { [NAMES.teacherLogits]: matrix(teacher.logits, answers) }
    case 'top':
      return {
        [NAMES.teacherIds]: new Tensor('int64', teacher.ids, [answers, teacher.ids.length / answers]),
        [NAMES.teacherLogits]: matrix(teacher.logProbs, answers),
      }
  }
}

function matrix(data: Float32Array, rows: number): Tensor {
  return new Tensor('float32', data, [rows, data.length / rows])
}

export function weightFeed({ bucket, weights }: Batch): Tensors {
  return { [NAMES.answerWeights]: new Tensor('float32', weights, [bucket.answers]) }
}

/** The numbers of a float32 output. */
export function floatsOf(outputs: Readonly<Record<string, { readonly data: unknown }>>, name: string): Float32Array {
  const data = outputs[name]?.data
  if (!(data instanceof Float32Array)) throw new Error(`The graph gave no ${name}`)
  return data
}
