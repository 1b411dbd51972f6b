import type { ModelConfig } from '../config/model-config.ts'
import { type Projection, projectionName, projectionShape, weightShapes } from '../config/weight-names.ts'

/** Low-rank factors on the chosen projections of every layer; the update is (alpha / rank)·B·A. */
export interface LoraTrainable {
  readonly mode: 'lora'
  readonly rank: number
  readonly alpha: number
  readonly targetModules: readonly Projection[]
}

/** The trained parameters: an adapter, or every weight of the base. */
export type Trainable = LoraTrainable | { readonly mode: 'full' }

/** One trainable tensor and its place in the flat arrays of values, gradients and moments. */
export interface Parameter {
  readonly name: string
  readonly shape: readonly number[]
  /** First element. */
  readonly offset: number
  /** Elements. */
  readonly size: number
}

/** Names of a projection's factors, as PEFT calls them below `base_model.model.`. */
export function loraNames(projection: string): { readonly a: string; readonly b: string } {
  return { a: `${projection}.lora_A.weight`, b: `${projection}.lora_B.weight` }
}

function* trainableShapes(config: ModelConfig, trainable: Trainable): Generator<readonly [string, readonly number[]]> {
  if (trainable.mode === 'full') {
    yield* weightShapes(config)
    return
  }
  for (let layer = 0; layer < config.layers; layer++) {
    for (const projection of trainable.targetModules) {
      const [outputs, inputs] = projectionShape(config, projection)
      const names = loraNames(projectionName(layer, projection))
      yield [names.a, [trainable.rank, inputs]]
      yield [names.b, [outputs, trainable.rank]]
    }
  }
}

/**
 * The layout of everything that is trained, one tensor after another without gaps: in the order of the weights, for an
 * adapter by layer and module, A [rank, in] before B [out, rank].
 */
export function trainableParameters(config: ModelConfig, trainable: Trainable): readonly Parameter[] {
  const parameters: Parameter[] = []
  let offset = 0
  for (const [name, shape] of trainableShapes(config, trainable)) {
    const size = shape.reduce((product, dim) => product * dim, 1)
    parameters.push({ name, shape, offset, size })
    offset += size
  }
  return parameters
}
