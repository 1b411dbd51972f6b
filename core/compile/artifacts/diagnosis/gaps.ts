import type { Condition } from './facts/condition.ts'
import type { ArtifactScore } from './diagnose.ts'
import type { FailureReport } from './failure-modes.ts'

/** The least values of a failure mode that is a gap, and the window in which captures are searched. */
export const GAP_BOUNDS = { minDelta: 0.05, windowDays: 30, minSamples: 2 } as const
const MOST_RECOMMENDED = 10

/** A failure mode as a gap in what an artifact knows (reference section 8). */
export interface Gap {
  readonly clusterId: string
  readonly title: string
  readonly conditions: readonly Condition[]
  /** `delta * log10(1 + samples)`. */
  readonly score: number
  /** Captures to review. */
  readonly recommended: number
  /** K-score of the artifact less that of the rows. */
  readonly delta: number
  readonly samples: number
}

/** Returns the gaps of an artifact, the largest first. */
export function gapsOf(
  { modes }: Pick<FailureReport, 'modes'>,
  { kScore, kPerAccuracy }: ArtifactScore,
): readonly Gap[] {
  return modes
    .map(({ id, kind, title, conditions, accuracy, n }) => {
      // Of a way of answering all rows are wrong.
      const delta = kScore - (kind === 'answer' ? 0 : Math.min(1, accuracy * kPerAccuracy))
      return {
        clusterId: id,
        title,
        conditions,
        score: round(delta * Math.log10(1 + n)),
        recommended: Math.max(1, Math.min(Math.ceil(10 * delta), MOST_RECOMMENDED, n)),
        delta: round(delta),
        samples: n,
      }
    })
    .filter(({ delta, samples }) => delta >= GAP_BOUNDS.minDelta && samples >= GAP_BOUNDS.minSamples)
    .toSorted((a, b) => b.score - a.score)
}

function round(value: number): number {
  return Number(value.toFixed(6))
}
