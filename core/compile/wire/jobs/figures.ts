import { z } from 'zod'
import type { Json } from '../../../kernel/json/json.ts'
import { Figure, measured, notMeasured } from '../../../kernel/wire/figure.ts'

/** The figures of an evaluation, each with its basis. */
export const Figures = z
  .object({
    k_score: Figure,
    accuracy: Figure,
    coverage: Figure,
    p50_latency_us: Figure,
    cost_usd_per_call: Figure,
    size_mb: Figure.optional(),
  })
  .meta({ id: 'Figures', description: 'What was measured, on how many rows or calls and how; or why it was not' })
export type Figures = z.input<typeof Figures>

const Envelope = z.object({
  composite: Figure,
  accuracy: Figure,
  coverage: Figure,
  p50_latency_us: Figure,
  cost_usd_per_call: Figure,
})

const EarlierEnvelope = z.object({
  composite: z.number(),
  n: z.int().positive(),
  accuracy: z.number(),
  coverage: z.number(),
})

const EARLIER = 'measured by a version that did not state on how many calls'

const NONE = notMeasured('no recipe was found')

/** The figures of a job that found no recipe: the K-score beside them is 0. */
const NO_RECIPE: Figures = {
  k_score: NONE,
  accuracy: NONE,
  coverage: NONE,
  p50_latency_us: NONE,
  cost_usd_per_call: NONE,
}

/**
 * Returns the figures in a stored K-score envelope of any version, with the size of the archive where there is one;
 * undefined for an envelope that holds none. Null is that of a job without a recipe.
 */
export function figuresOf(envelope: Json | undefined, sizeMb?: number): Figures | undefined {
  if (envelope === null) return NO_RECIPE
  const size = sizeMb === undefined ? {} : { size_mb: measured(sizeMb, 1, 'millions of bytes of the archive') }
  const { data } = Envelope.safeParse(envelope)
  if (data !== undefined) {
    const { composite, ...others } = data
    return { k_score: composite, ...others, ...size }
  }
  const { data: earlier } = EarlierEnvelope.safeParse(envelope)
  if (earlier === undefined) return undefined
  const { composite, n, accuracy, coverage } = earlier
  return {
    k_score: measured(composite, n, 'A * (0.7 + 0.3 * mean of S, L, C, V)'),
    accuracy: measured(accuracy, n, 'right answers of the scored rows'),
    coverage: measured(coverage, n, 'scored rows that got an answer'),
    p50_latency_us: { basis: 'not_measured', why: EARLIER },
    cost_usd_per_call: { basis: 'not_measured', why: 'the recipe runs on the machine of its caller' },
    ...size,
  }
}
