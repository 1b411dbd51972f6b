import { z } from 'zod'
import type { Json } from '../../../kernel/json/json.ts'

/** The interval of a K-score: K at the ends of the 95 % Wilson interval of the accuracy, its other axes unchanged. */
export const KInterval = z
  .object({ low: z.number(), high: z.number() })
  .meta({ id: 'KInterval', description: 'K at the ends of the 95 % interval of the accuracy' })

const Interval = z.object({ low: z.number(), high: z.number() })

const Envelope = z.object({
  interval: Interval,
  axes: z.object({ S: z.number(), L: z.number(), C: z.number(), V: z.number() }),
  weights: z.object({ base: z.number(), spread: z.number() }),
})

/** The interval out of a stored K-score envelope; undefined for one that holds none. */
export function kIntervalOf(envelope: Json | undefined): z.input<typeof KInterval> | undefined {
  const parsed = Envelope.safeParse(envelope)
  if (!parsed.success) return undefined
  const { interval, axes, weights } = parsed.data
  const factor = weights.base + weights.spread * ((axes.S + axes.L + axes.C + axes.V) / 4)
  return { low: round4(interval.low * factor), high: round4(interval.high * factor) }
}

const Measurement = z.object({ n: z.int(), accuracy: z.number(), interval: Interval })

/** The accuracy behind a K-score, 0 to 1, with its 95 % interval and the number of held-out rows; undefined without one. */
export function measurementOf(envelope: Json | undefined): z.output<typeof Measurement> | undefined {
  return Measurement.safeParse(envelope).data
}

function round4(value: number): number {
  return Number(value.toFixed(4))
}
