import { z } from 'zod'
import { Figure } from '../../../kernel/wire/figure.ts'
import { Count, Share } from './fields.ts'

const Measure = z.number().nonnegative()
const Weights = z.strictObject({ base: Share, spread: Share })

/** The K-score of builds before typed evidence. Unknown fields are refused, since no rule would check them. */
export const EarlierScoreDocument = z.strictObject({
  spec: z.literal('svc-k-score-1'),
  composite: Share,
  gate: Share,
  ships: z.boolean(),
  n: Count,
  interval: z.strictObject({ low: Share, high: Share }),
  accuracy: Share,
  coverage: Share,
  p50_latency_us: Measure,
  cost_usd_per_call: Measure,
  size_bytes: Count,
  axes: z.strictObject({ A: Share, S: Share, L: Share, C: Share, V: Share }),
  weights: Weights,
})

/** The K-score with all of its inputs, each a figure with its basis. `spec` names the formula. */
export const ScoreDocument = z.strictObject({
  spec: z.literal('svc-k-score-2'),
  composite: Figure,
  gate: Share,
  ships: z.boolean(),
  accuracy: Figure,
  interval: z.strictObject({ low: Figure, high: Figure }),
  coverage: Figure,
  p50_latency_us: Figure,
  cost_usd_per_call: Figure,
  size_bytes: Figure,
  axes: z.strictObject({ A: Figure, S: Figure, L: Figure, C: Figure, V: Figure }),
  weights: Weights,
})
