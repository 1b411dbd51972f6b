import type { ModelConfig } from '../config/model-config.ts'
import { countParameters, projectionShape } from '../config/weight-names.ts'
import type { LoraAdapter } from '../files/lora-adapter.ts'
import type { Bucket } from './batch.ts'
import { SLICE_POSITIONS } from './answer-head.ts'
import { CONSTANT_BYTES } from './inference/graph-inputs.ts'
import { type Trainable, trainableParameters } from './parameters.ts'
import type { Scoring } from './scoring.ts'
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

/** A teacher, and whether it shares the weights of the student. */
export interface TeacherMemory {
  readonly config: ModelConfig
  readonly adapter: LoraAdapter | null
  readonly isSameBase: boolean
}

/** Values of the vocabulary's width that live at once while a divergence is computed. */
const DIVERGENCE_COPIES = 10

/**
 * Estimates what scoring by divergence adds to `estimateTrainingBytes`: the wide values of its head, the teacher's pass
 * and weights, and the student's own answers with the cache of `studentCacheBytes`, null where it writes none.
 */
export function estimateTeachingBytes(
  config: ModelConfig,
  scoring: Scoring,
  buckets: readonly Bucket[],
  {
    teacher,
    studentCacheBytes,
  }: { readonly teacher: TeacherMemory | undefined; readonly studentCacheBytes: number | null },
): number {
  if (scoring.kind === 'log-prob') return 0
  let floats = 0
  for (const bucket of buckets) {
    floats += DIVERGENCE_COPIES * Math.min(bucket.answers, SLICE_POSITIONS) * config.vocabSize
    if (scoring.teacher.form === 'logits') floats += bucket.answers * config.vocabSize
    if (scoring.teacher.form === 'top') floats += 3 * bucket.answers * (scoring.teacher.k + 1)
    if (teacher !== undefined) floats += teacherFloats(teacher, bucket)
  }
  const teacherWeights = teacher === undefined || teacher.isSameBase ? 0 : FLOAT_BYTES * countParameters(teacher.config)
  return Math.ceil(floats * FLOAT_BYTES * ARENA_FACTOR) + teacherWeights + answeringBytes(config, studentCacheBytes)
}

/** Floats of a teacher's forward pass over one bucket. */
function teacherFloats({ config, adapter }: TeacherMemory, bucket: Bucket): number {
  const merged = adapter === null ? 0 : mergedWeights(config, { mode: 'lora', ...adapter.config })
  return layerActivations(config, bucket) + layerWorkspace(config, bucket) + merged + bucket.answers * config.hiddenSize
}

/** The session that writes answers holds small weights twice more, laid out for speed. */
function answeringBytes(config: ModelConfig, cacheBytes: number | null): number {
  if (cacheBytes === null) return 0
  const weights = FLOAT_BYTES * countParameters(config)
  return cacheBytes + (weights <= CONSTANT_BYTES ? 2 * weights : 0)
}
