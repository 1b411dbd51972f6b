import { z } from 'zod'
import type { Json } from '../../../kernel/json/json.ts'
import { Figure, MeasuredFigure } from '../../../kernel/wire/figure.ts'

/** The interval of a K-score: K at the ends of the 95 % Wilson interval of the accuracy, its other axes unchanged. */
export const KInterval = z
  .object({ low: z.number(), high: z.number() })
  .meta({ id: 'KInterval', description: 'K at the ends of the 95 % interval of the accuracy' })

/** The value of a figure; earlier versions state the number alone. */
const Value = z.union([z.number(), MeasuredFigure.transform(({ value }) => value)])
/** The value of an axis; null when it was not measured. */
const Axis = z.union([z.number(), Figure.transform((figure) => (figure.basis === 'measured' ? figure.value : null))])
const Interval = z.object({ low: Value, high: Value })

const Envelope = z.object({
  interval: Interval,
  axes: z.object({ S: Axis, L: Axis, C: Axis, V: Axis }),
  weights: z.object({ base: z.number(), spread: z.number() }),
})

/** The interval out of a stored K-score envelope of any version; undefined for one that holds none. */
export function kIntervalOf(envelope: Json | undefined): z.input<typeof KInterval> | undefined {
  const parsed = Envelope.safeParse(envelope)
  if (!parsed.success) return undefined
  const { interval, axes, weights } = parsed.data
  const measured = Object.values(axes).filter((axis) => axis !== null)
  if (measured.length === 0) return undefined
  const factor = weights.base + (weights.spread * measured.reduce((sum, axis) => sum + axis, 0)) / measured.length
  return { low: round4(interval.low * factor), high: round4(interval.high * factor) }
}

const EarlierMeasurement = z.object({ n: z.int(), accuracy: z.number(), interval: Interval })
const Measurement = z
  .object({ accuracy: MeasuredFigure, interval: Interval })
  .transform(({ accuracy: { value: accuracy, n }, interval }) => ({ n, accuracy, interval }))

/** The accuracy behind a K-score, 0 to 1, with its 95 % interval and the number of held-out rows; undefined without one. */
export function measurementOf(envelope: Json | undefined): z.output<typeof EarlierMeasurement> | undefined {
  return z.union([EarlierMeasurement, Measurement]).safeParse(envelope).data
}

function round4(value: number): number {
  return Number(value.toFixed(4))
}
