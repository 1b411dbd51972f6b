import { THRESHOLDS } from './thresholds.ts'

/** A row of the calibration: its answer's confidence, with at most six decimals, and whether the answer was right. */
export interface CalibrationRow {
  readonly confidence: number
  readonly correct: boolean
  readonly abstained: boolean
}

/** Answers that a threshold lets through, and the wrong ones among them. */
export interface CurvePoint {
  readonly threshold: number
  readonly answered: number
  readonly wrong: number
}

/** Rounds a confidence as `evals.json` holds it, so that a run compares the number that was calibrated. */
export function roundConfidence(confidence: number): number {
  return Number(confidence.toFixed(6))
}

/** Returns true when an answer of this confidence is given. An answer of confidence 0 never is. */
export function isGiven(confidence: number, threshold: number): boolean {
  return confidence > 0 && confidence >= threshold
}

/** Returns the risk-coverage curve: a point for each threshold, highest first. */
export function riskCurve(rows: readonly CalibrationRow[]): readonly CurvePoint[] {
  const answered = rows
    .filter(({ abstained, confidence }) => !abstained && confidence > 0)
    .toSorted((a, b) => b.confidence - a.confidence)
  let count = 0
  let wrong = 0
  return THRESHOLDS.map((threshold) => {
    for (let row = answered[count]; row !== undefined && isGiven(row.confidence, threshold); row = answered[count]) {
      if (!row.correct) wrong++
      count++
    }
    return { threshold, answered: count, wrong }
  })
}
