import type { ModelConfig } from '../config/model-config.ts'
import { EMBEDDING, projectionName, weightShapes } from '../config/weight-names.ts'
import type { GraphBuilder } from '../graph/builder.ts'
import { loraLinear } from '../graph/ops/lora-linear.ts'
import { gemm, matmul } from '../graph/ops/products.ts'
import type { Value } from '../graph/value.ts'
import type { LayerParts } from './decoder-layer.ts'
import { loraNames, type Trainable, trainableParameters } from './parameters.ts'
import { headName, TEACHER_HEAD } from './scoring.ts'

/** Weights and trainable tensors as graph inputs, declared on first use. */
export class ModelInputs {
  readonly #g: GraphBuilder
  readonly #config: ModelConfig
  readonly #trainable: Trainable
  readonly #shapes: ReadonlyMap<string, readonly number[]>
  readonly #values = new Map<string, Value>()

  constructor(g: GraphBuilder, config: ModelConfig, trainable: Trainable) {
    this.#g = g
    this.#config = config
    this.#trainable = trainable
    const shapes = new Map(weightShapes(config))
    for (const { name, shape } of trainableParameters(config, trainable)) shapes.set(name, shape)
    this.#shapes = shapes
  }

  /** The input of a weight, or of a factor of the adapter. */
  get(name: string): Value {
    const known = this.#values.get(name)
    if (known !== undefined) return known
    const shape = this.#shapes.get(name)
    if (shape === undefined) throw new Error(`The model has no weight ${name}`)
    const value = this.#g.input(name, 'float32', shape)
    this.#values.set(name, value)
    return value
  }

  /** Every input declared so far. */
  names(): readonly string[] {
    return [...this.#values.keys()]
  }

  /** Trainable inputs that the graph uses, by name. */
  trainables(): ReadonlyMap<string, Value> {
    const names = new Set(trainableParameters(this.#config, this.#trainable).map(({ name }) => name))
    return new Map([...this.#values].filter(([name]) => names.has(name)))
  }

  get embedding(): Value {
    return this.get(EMBEDDING)
  }

  /** The matrix that turns hidden states into logits. */
  get head(): Value {
    return this.get(headName(this.#config))
  }

  /** The matrix that turns hidden states of a teacher into logits. */
  teacherHead(hiddenSize: number): Value {
    const value = this.#g.input(TEACHER_HEAD, 'float32', [this.#config.vocabSize, hiddenSize])
    this.#values.set(TEACHER_HEAD, value)
    return value
  }

  /** Returns the weights of one decoder layer in the form of `decoderLayer`. */
  layer(index: number, attention: LayerParts['attention']): LayerParts {
    return {
      attention,
      norm: (norm) => this.get(`model.layers.${index}.${norm}.weight`),
      linear: (x, projection) => {
        const name = projectionName(index, projection)
        const weight = this.get(`${name}.weight`)
        const bias = this.#shapes.has(`${name}.bias`) ? this.get(`${name}.bias`) : null
        if (this.#trainable.mode === 'lora' && this.#trainable.targetModules.includes(projection)) {
          const names = loraNames(name)
          const scale = this.#trainable.alpha / this.#trainable.rank
          return loraLinear(this.#g, x, weight, { a: this.get(names.a), b: this.get(names.b), scale }, bias)
        }
        const options = { transposeB: true }
        return bias === null ? matmul(this.#g, x, weight, options) : gemm(this.#g, x, weight, bias, options)
      },
    }
  }
}
