import type { ModelConfig } from '../config/model-config.ts'
import type { GraphBuilder } from '../graph/builder.ts'
import { gather } from '../graph/ops/indexing.ts'
import { concat, split } from '../graph/ops/layout.ts'
import { tokenLogProbs } from '../graph/ops/token-log-probs.ts'
import { rmsNorm } from '../graph/ops/transformer.ts'
import type { Value } from '../graph/value.ts'
import { type Bucket, NAMES } from './batch.ts'
import type { ModelInputs } from './model-inputs.ts'

/** Answer positions whose logits exist at the same time: the logits of all of them would outweigh the rest. */
export const SLICE_POSITIONS = 256

function sliceSizes(answers: number): readonly number[] {
  const full = Math.floor(answers / SLICE_POSITIONS)
  const rest = answers - full * SLICE_POSITIONS
  return [...Array.from({ length: full }, () => SLICE_POSITIONS), ...(rest > 0 ? [rest] : [])]
}

/** Declares the answers' positions and returns a function that selects their rows from values [bins·length, …]. */
export function answerRows(g: GraphBuilder, bucket: Bucket): (x: Value) => Value {
  const positions = g.input(NAMES.answerPositions, 'int64', [bucket.answers])
  return (x) => gather(g, x, positions)
}

/** Log-probability of each answer's target, [answers], from the hidden states of the answers' rows [answers, hidden]. */
export function answerLogProbs(
  g: GraphBuilder,
  config: ModelConfig,
  bucket: Bucket,
  model: ModelInputs,
  hidden: Value,
): Value {
  const targets = g.input(NAMES.targets, 'int64', [bucket.answers])
  const [normed] = rmsNorm(g, hidden, model.get('model.norm.weight'), config.normEpsilon)
  const sizes = sliceSizes(bucket.answers)
  const rows = sizes.length === 1 ? [normed] : split(g, normed, sizes, 0)
  const tokens = sizes.length === 1 ? [targets] : split(g, targets, sizes, 0)
  const parts = rows.map((row, index) => tokenLogProbs(g, row, model.head, tokens[index] ?? targets))
  return concat(g, parts, 0)
}
