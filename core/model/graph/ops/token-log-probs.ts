import { type GraphBuilder, staticDim } from '../builder.ts'
import type { Value } from '../value.ts'
import { log, max } from './elementwise.ts'
import { gatherColumns } from './indexing.ts'
import { reshape } from './layout.ts'
import { matmul } from './products.ts'
import { softmax } from './reductions.ts'

/** Below this a probability counts as this, so that its logarithm stays finite (about −85 nats). */
const SMALLEST_PROBABILITY = 1e-37

/**
 * Computes log softmax(h·Eᵀ)[target] of each row: h [rows, hidden], head E [vocabulary, hidden], targets int64 [rows];
 * the result is [rows]. Neither pass builds a one-hot matrix. Its rule is `tokenLogProbsRule`.
 */
export function tokenLogProbs(g: GraphBuilder, h: Value, head: Value, targets: Value): Value {
  const rows = staticDim(h.shape[0])
  const [logProbs] = g.composite('TokenLogProbs', [h, head, targets], {}, () => {
    const p = softmax(g, matmul(g, h, head, { transposeB: true }))
    const chosen = reshape(g, gatherColumns(g, p, reshape(g, targets, [rows, 1])), [rows])
    return [log(g, max(g, chosen, g.scalar(SMALLEST_PROBABILITY))), p]
  })
  if (logProbs === undefined) throw new Error('Log-probabilities are an output')
  return logProbs
}
