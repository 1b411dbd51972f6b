import type { ModelConfig } from '../config/model-config.ts'
import { GraphBuilder } from '../graph/builder.ts'
import { gradients } from '../graph/gradients.ts'
import { answerRows, answerScores } from './answer-head.ts'
import { type Bucket, NAMES } from './batch.ts'
import { decoderLayer } from './decoder-layer.ts'
import { ModelInputs } from './model-inputs.ts'
import { packedAttention } from './packed-attention.ts'
import type { Trainable } from './parameters.ts'
import type { Scoring } from './scoring.ts'
import { outputGradients, type TrainingGraph, weightedLoss } from './training-graph.ts'

/** Prefix of a weight's name in a layer graph, which serves every layer. */
export const FIRST_LAYER = 'model.layers.0.'

/**
 * One decoder layer for one bucket. Forwards: `hidden` in, the next `hidden_out`. Backwards: `hidden` and the gradient
 * of the layer's output in, the gradient of `hidden` and of the layer's trainable tensors out; the layer's inner
 * activations are computed again, so only layer inputs live between the passes.
 */
export function layerGraph(
  config: ModelConfig,
  trainable: Trainable,
  bucket: Bucket,
  direction: 'forward' | 'backward',
): TrainingGraph {
  const g = new GraphBuilder('layer')
  const model = new ModelInputs(g, config, trainable)
  const shape = [bucket.bins * bucket.length, config.hiddenSize]
  const hidden = g.input(NAMES.hidden, 'float32', shape)
  const positions = g.input(NAMES.positions, 'int64', [bucket.bins, bucket.length])
  const segments = g.input(NAMES.segments, 'int64', [bucket.bins, bucket.length])
  const attention = packedAttention(g, config, bucket, { positions, segments })
  const output = decoderLayer(g, config, hidden, model.layer(0, attention))
  if (direction === 'forward') {
    g.output(NAMES.hiddenOut, output)
    return { bytes: g.toBytes(), weights: model.names(), differentiated: [] }
  }
  const seed = g.input(NAMES.outputGradient, 'float32', shape)
  const wrt = model.trainables()
  const found = gradients(g, output, [hidden, ...wrt.values()], seed)
  outputGradients(g, new Map([[NAMES.hidden, hidden]]), found)
  const differentiated = outputGradients(g, wrt, found)
  return { bytes: g.toBytes(), weights: model.names(), differentiated }
}

/**
 * Final norm, logits at answer positions and loss for one bucket: `hidden` in, scores of the answers out and, backwards,
 * the loss, the gradient of `hidden` and of the trainable tensors of the head.
 */
export function headGraph(
  config: ModelConfig,
  trainable: Trainable,
  bucket: Bucket,
  direction: 'forward' | 'backward',
  scoring: Scoring,
): TrainingGraph {
  const g = new GraphBuilder('head')
  const model = new ModelInputs(g, config, trainable)
  const hidden = g.input(NAMES.hidden, 'float32', [bucket.bins * bucket.length, config.hiddenSize])
  const scores = answerScores(g, config, bucket, model, answerRows(g, bucket)(hidden), scoring)
  g.output(NAMES.scores, scores)
  if (direction === 'forward') return { bytes: g.toBytes(), weights: model.names(), differentiated: [] }
  const loss = weightedLoss(g, scores)
  g.output(NAMES.loss, loss)
  const wrt = model.trainables()
  const found = gradients(g, loss, [hidden, ...wrt.values()])
  outputGradients(g, new Map([[NAMES.hidden, hidden]]), found)
  const differentiated = outputGradients(g, wrt, found)
  return { bytes: g.toBytes(), weights: model.names(), differentiated }
}
