import type { ModelConfig } from '../config/model-config.ts'
import { countParameters, projectionShape } from '../config/weight-names.ts'
import type { Bucket } from './batch.ts'
import { SLICE_POSITIONS } from './answer-head.ts'
import { type Trainable, trainableParameters } from './parameters.ts'
import type { EngineVariant } from './engine/training-engine.ts'

const FLOAT_BYTES = 4
/** The runtime's code, its sessions and the JavaScript around them, as measured. */
const PROCESS_BYTES = 150_000_000
/** Measured size of the arena relative to the tensors alive at the worst moment. */
const ARENA_FACTOR = 1.15

/** Memory of a training job by part, in bytes. */
export interface TrainingMemory {
  /** Weights of the base. */
  readonly weights: number
  /** Trainable numbers and their gradients; the optimizer's moments are not counted. */
  readonly trainables: number
  /** Memory of the passes, over all buckets and both directions: each session has its own arena. */
  readonly activations: number
  /** The process itself. */
  readonly process: number
  readonly total: number
}

/** Floats that one layer keeps from its forward to its backward pass, for one bucket. */
function layerActivations(config: ModelConfig, bucket: Bucket): number {
  const { hiddenSize, heads, kvHeads, headDim, intermediateSize } = config
  const queries = heads * headDim
  const keys = kvHeads * headDim
  const headNorms = config.qkNorm ? queries + keys : 0
  // Layer input, two normed inputs and the sum between them; queries, attention output, keys, values; gate, up and their product.
  const perToken = 4 * hiddenSize + 2 * queries + 2 * keys + headNorms + 3 * intermediateSize + heads * bucket.length
  return bucket.bins * bucket.length * perToken
}

/** Floats of temporary tensors around the widest operation of a layer's backward pass. */
function layerWorkspace(config: ModelConfig, bucket: Bucket): number {
  const wide = Math.max(3 * config.intermediateSize + 2 * config.hiddenSize, 3 * config.heads * bucket.length)
  return bucket.bins * bucket.length * wide
}

/** Floats of the merged weights of one layer. */
function mergedWeights(config: ModelConfig, trainable: Trainable): number {
  if (trainable.mode === 'full') return 0
  return trainable.targetModules.reduce((sum, projection) => {
    const [outputs, inputs] = projectionShape(config, projection)
    return sum + outputs * inputs
  }, 0)
}

/** Floats of the output head: hidden states and logits of a slice; trained embeddings add gradients of their own. */
function headFloats(config: ModelConfig, trainable: Trainable, bucket: Bucket): number {
  const { vocabSize, hiddenSize } = config
  const slices = Math.ceil(bucket.answers / SLICE_POSITIONS)
  const embeddings = trainable.mode === 'full' ? (4 + 2 * slices) * vocabSize * hiddenSize : 0
  return 3 * Math.min(bucket.answers, SLICE_POSITIONS) * vocabSize + 4 * bucket.answers * hiddenSize + embeddings
}

function bucketFloats(config: ModelConfig, trainable: Trainable, bucket: Bucket, variant: EngineVariant): number {
  const layer = layerActivations(config, bucket) + mergedWeights(config, trainable)
  const workspace = layerWorkspace(config, bucket)
  const head = headFloats(config, trainable, bucket)
  if (variant === 'whole') {
    const forwardOnly = workspace + 2 * Math.min(bucket.answers, SLICE_POSITIONS) * config.vocabSize
    return config.layers * layer + workspace + head + forwardOnly
  }
  const layerInputs = (config.layers + 4) * bucket.bins * bucket.length * config.hiddenSize
  // The forward session has its own arena, about half as large as the one for both passes.
  return layerInputs + 1.5 * layer + 1.5 * workspace + head
}

/** Estimates the peak memory of a process that trains with these buckets. */
export function estimateTrainingMemory(
  config: ModelConfig,
  trainable: Trainable,
  buckets: readonly Bucket[],
  variant: EngineVariant,
): TrainingMemory {
  const weights = countParameters(config) * FLOAT_BYTES
  const numbers = trainableParameters(config, trainable).reduce((sum, { size }) => sum + size, 0)
  const trainables = 2 * numbers * FLOAT_BYTES
  const floats = buckets.reduce((sum, bucket) => sum + bucketFloats(config, trainable, bucket, variant), 0)
  const activations = Math.ceil(floats * FLOAT_BYTES * ARENA_FACTOR)
  return {
    weights,
    trainables,
    activations,
    process: PROCESS_BYTES,
    total: weights + trainables + activations + PROCESS_BYTES,
  }
}

/** The total of `estimateTrainingMemory`. */
export function estimateTrainingBytes(
  config: ModelConfig,
  trainable: Trainable,
  buckets: readonly Bucket[],
  variant: EngineVariant,
): number {
  return estimateTrainingMemory(config, trainable, buckets, variant).total
}
