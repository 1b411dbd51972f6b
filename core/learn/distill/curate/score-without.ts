import { z } from 'zod'
import { computeKScore } from '../../../compile/stages/scoring/k-score.ts'
import type { RowView } from '../../../compile/wire/jobs/explain/rows.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { wilsonInterval } from '../../../kernel/statistics/wilson-interval.ts'
import { Figure, MeasuredFigure } from '../../../kernel/wire/figure.ts'
import type { WithoutDoubtful } from '../../wire/distill/held-out-labels.ts'

/** Figures that a K-score needs beside the rows: the measured size and latency of the recipe. */
const Measured = z.object({ gate: z.number(), size_bytes: MeasuredFigure, p50_latency_us: Figure })

/** The scored rows of a compile. */
interface ScoredRows {
  readonly views: Iterable<Pick<RowView, 'id' | 'right' | 'result'>>
  /** The K-score as the compile states it. */
  readonly envelope: Json | undefined
}

/**
 * Computes the K-score of a compile over its scored rows less those with doubtful labels, with the size and the latency that the
 * compile measured. Null where none of its rows is doubtful, none is left, or the compile has no score.
 */
export function scoreWithout(
  { views, envelope }: ScoredRows,
  doubtful: ReadonlySet<string>,
): z.infer<typeof WithoutDoubtful> | null {
  const measured = Measured.safeParse(envelope).data
  const scored = [...views].filter(({ right }) => right !== null)
  const left = scored.filter(({ id }) => !doubtful.has(id))
  if (measured === undefined || left.length === 0 || left.length === scored.length) return null
  const right = left.filter((row) => row.right === true).length
  const answered = left.filter(({ result }) => result === 'right' || result === 'wrong').length
  const { gate, size_bytes: size, p50_latency_us: latency } = measured
  const accuracy = right / left.length
  const { composite } = computeKScore(
    {
      accuracy,
      coverage: answered / left.length,
      n: left.length,
      interval: wilsonInterval(right, left.length),
      latency: latency.basis === 'measured' ? { p50_us: latency.value, calls: latency.n } : { p50_us: 0, calls: 0 },
    },
    { sizeBytes: size.value, floor: gate },
  )
  return { informs_only: true, rows: left.length, right, accuracy: Number(accuracy.toFixed(4)), k_score: composite }
}
