import { KERNEL_ERRORS } from '../../kernel/errors.ts'
import type { ModelConfig } from '../config/model-config.ts'
import { projectionName, projectionShape } from '../config/weight-names.ts'
import type { LoraAdapter } from '../files/lora-adapter.ts'
import type { BaseModel } from '../files/base-model.ts'

/** Weights to export, read one at a time so that memory holds one of them beside the base. */
export interface ExportWeights {
  readonly config: ModelConfig
  /** Hugging Face names in the order of the computation. */
  readonly names: readonly string[]
  shape(name: string): readonly number[]
  /** The elements, row-major; not to be changed. Throws `internal` for a name that is not there. */
  read(name: string): Float32Array
}

/** Returns the weights of a base unchanged. */
export function baseWeights(base: Pick<BaseModel, 'config' | 'weights'>): ExportWeights {
  const tensor = (name: string) => {
    const found = base.weights.get(name)
    if (found === undefined) throw KERNEL_ERRORS.internal(`the base has no weight ${name}`)
    return found
  }
  return {
    config: base.config,
    names: [...base.weights.keys()],
    shape: (name) => tensor(name).shape,
    read: (name) => tensor(name).data,
  }
}

/**
 * Returns the weights with an adapter merged in: W + (alpha / rank) B A wherever it has a pair (Hu et al. 2021, LoRA).
 * A merged weight is computed when it is read, in double precision, and rounded once to float32.
 */
export function mergeAdapter(weights: ExportWeights, adapter: LoraAdapter): ExportWeights {
  const { rank, alpha } = adapter.config
  const scale = alpha / rank
  return {
    ...weights,
    read: (name) => {
      const pair = name.endsWith('.weight') ? adapter.tensors.get(name.slice(0, -'.weight'.length)) : undefined
      const original = weights.read(name)
      if (pair === undefined) return original
      return addProduct(original, pair.b, pair.a, rank, scale)
    },
  }
}

/** One pair of an adapter, in the order of the layers. */
export interface AdapterPair {
  /** Name of the linear layer: `model.layers.0.self_attn.q_proj`. */
  readonly layer: string
  readonly inputs: number
  readonly outputs: number
  /** `[rank, inputs]`. */
  readonly a: Float32Array
  /** `[outputs, rank]`. */
  readonly b: Float32Array
}

/** The pairs of an adapter with their sizes, in the order of the layers. */
export function adapterPairs(config: ModelConfig, adapter: LoraAdapter): readonly AdapterPair[] {
  return Array.from({ length: config.layers }, (_, layer) => layer).flatMap((layer) =>
    adapter.config.targetModules.flatMap((target) => {
      const name = projectionName(layer, target)
      const pair = adapter.tensors.get(name)
      if (pair === undefined) return []
      const [outputs, inputs] = projectionShape(config, target)
      return [{ layer: name, inputs, outputs, ...pair }]
    }),
  )
}

/** W + scale * B A with W `[outputs, inputs]`, B `[outputs, rank]`, A `[rank, inputs]`. */
function addProduct(w: Float32Array, b: Float32Array, a: Float32Array, rank: number, scale: number): Float32Array {
  const inputs = a.length / rank
  const outputs = b.length / rank
  const merged = new Float32Array(w.length)
  const row = new Float64Array(inputs)
  for (let output = 0; output < outputs; output++) {
    row.set(w.subarray(output * inputs, (output + 1) * inputs))
    for (let k = 0; k < rank; k++) {
      const factor = scale * (b[output * rank + k] ?? 0)
      if (factor === 0) continue
      const offset = k * inputs
      for (let input = 0; input < inputs; input++) row[input] = (row[input] ?? 0) + factor * (a[offset + input] ?? 0)
    }
    merged.set(row, output * inputs)
  }
  return merged
}
