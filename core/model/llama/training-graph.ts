import type { ModelConfig } from '../config/model-config.ts'
import { GraphBuilder } from '../graph/builder.ts'
import { gradients } from '../graph/gradients.ts'
import { mul, neg } from '../graph/ops/elementwise.ts'
import { gather } from '../graph/ops/indexing.ts'
import { reduceSum } from '../graph/ops/reductions.ts'
import type { Value } from '../graph/value.ts'
import { answerRows, answerScores, normedStates } from './answer-head.ts'
import { type Bucket, gradientName, NAMES } from './batch.ts'
import { decoderLayer } from './decoder-layer.ts'
import { ModelInputs } from './model-inputs.ts'
import { packedAttention } from './packed-attention.ts'
import type { Trainable } from './parameters.ts'
import type { Scoring } from './scoring.ts'

/** A model file and the names that a session needs to run it. */
export interface TrainingGraph {
  readonly bytes: Uint8Array
  /** Inputs that are weights of the base or trainable tensors. */
  readonly weights: readonly string[]
  /** Trainable tensors whose gradients are outputs; none in a forward graph. */
  readonly differentiated: readonly string[]
}

/** Adds the outputs `gradient:<name>`, and fails when a trainable tensor has no influence. */
export function outputGradients(
  g: GraphBuilder,
  wrt: ReadonlyMap<string, Value>,
  found: ReadonlyMap<Value, Value>,
): readonly string[] {
  for (const [name, value] of wrt) {
    const gradient = found.get(value)
    if (gradient === undefined) throw new Error(`The loss does not depend on ${name}`)
    g.output(gradientName(name), gradient)
  }
  return [...wrt.keys()]
}

/** −Σ weightᵢ·scoreᵢ over the answers, as a scalar, from scores [answers]. */
export function weightedLoss(g: GraphBuilder, scores: Value): Value {
  const weights = g.input(NAMES.answerWeights, 'float32', scores.shape)
  return neg(g, reduceSum(g, mul(g, weights, scores), [0], false))
}

/** The hidden states of the answers' rows after the last layer, [answers, hidden], and the inputs they come from. */
function answerStates(g: GraphBuilder, config: ModelConfig, trainable: Trainable, bucket: Bucket) {
  const model = new ModelInputs(g, config, trainable)
  const tokens = g.input(NAMES.tokens, 'int64', [bucket.bins * bucket.length])
  const positions = g.input(NAMES.positions, 'int64', [bucket.bins, bucket.length])
  const segments = g.input(NAMES.segments, 'int64', [bucket.bins, bucket.length])
  const attention = packedAttention(g, config, bucket, { positions, segments })
  const keep = answerRows(g, bucket)
  let hidden = gather(g, model.embedding, tokens)
  for (let layer = 0; layer < config.layers; layer++) {
    const parts = model.layer(layer, attention)
    hidden = decoderLayer(g, config, hidden, layer === config.layers - 1 ? { ...parts, keep } : parts)
  }
  return { model, hidden }
}

/** Builds the forward pass up to the final norm: the normed hidden states of the answers' rows, [answers, hidden]. */
export function statesGraph(config: ModelConfig, trainable: Trainable, bucket: Bucket): TrainingGraph {
  const g = new GraphBuilder('states')
  const { model, hidden } = answerStates(g, config, trainable, bucket)
  g.output(NAMES.hiddenOut, normedStates(g, config, model, hidden))
  return { bytes: g.toBytes(), weights: model.names(), differentiated: [] }
}

/**
 * Builds the whole model for one bucket as one graph: hidden states of packed rows, scores of the answers and, with
 * `backward`, the weighted loss and the gradient of every trainable tensor. Frozen weights and layers below the first
 * trainable tensor are not differentiated. After the last attention only answers are computed.
 */
export function trainingGraph(
  config: ModelConfig,
  trainable: Trainable,
  bucket: Bucket,
  direction: 'forward' | 'backward',
  scoring: Scoring,
): TrainingGraph {
  const g = new GraphBuilder('training')
  const { model, hidden } = answerStates(g, config, trainable, bucket)
  const scores = answerScores(g, config, bucket, model, hidden, scoring)
  g.output(NAMES.scores, scores)
  let differentiated: readonly string[] = []
  if (direction === 'backward') {
    const loss = weightedLoss(g, scores)
    const wrt = model.trainables()
    g.output(NAMES.loss, loss)
    differentiated = outputGradients(g, wrt, gradients(g, loss, [...wrt.values()]))
  }
  return { bytes: g.toBytes(), weights: model.names(), differentiated }
}
