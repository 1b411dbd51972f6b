import { Tensor } from 'onnxruntime-node'
import type { ModelConfig } from '../../config/model-config.ts'
import type { BaseModel } from '../../files/base-model.ts'
import type { TensorData } from '../../files/tensors.ts'

/** Source of a base's computation: `config`, and the weights by name. */
export type ModelWeights = Pick<BaseModel, 'config' | 'weights'>

/** Added to the scores of what a token may not attend to. */
export const MASKED = -1e9
/** Weights up to this size become constants, which the runtime lays out again for speed and so holds twice. */
export const CONSTANT_BYTES = 400 * 1024 * 1024

/** The weights of a base as constants of its graph, or as inputs of each run. */
export interface PlacedWeights {
  readonly constants: ReadonlyMap<string, TensorData>
  readonly feeds: Readonly<Record<string, Tensor>>
}

/** Places small weights in the graph, and large ones beside it, where they are held once. */
export function placeWeights({ weights }: ModelWeights): PlacedWeights {
  let bytes = 0
  for (const { data } of weights.values()) bytes += data.byteLength
  if (bytes <= CONSTANT_BYTES) return { constants: weights, feeds: {} }
  const feeds = [...weights].map(([name, { data, shape }]) => [name, new Tensor('float32', data, shape)] as const)
  return { constants: new Map(), feeds: Object.fromEntries(feeds) }
}

/** Returns the causal mask of new tokens among themselves, once for each query head of a group. */
export function causalMask({ heads, kvHeads }: ModelConfig, tokens: number): Tensor {
  const group = heads / kvHeads
  const mask = new Float32Array(group * tokens * tokens)
  for (let row = 0; row < group * tokens; row++) {
    mask.fill(MASKED, row * tokens + (row % tokens) + 1, (row + 1) * tokens)
  }
  return new Tensor('float32', mask, [1, 1, group * tokens, tokens])
}
