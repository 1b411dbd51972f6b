import { roundConfidence } from './risk-curve.ts'
import { DOUBTED } from './thresholds.ts'

/**
 * Returns the confidence of an answer, with at most six decimals: that of the recipe, but no more than one half when the
 * answer fails a check or its input is unlike the rows.
 */
export function confidenceOf(confidence: number, isSuspect: boolean): number {
  return roundConfidence(isSuspect ? Math.min(confidence, DOUBTED) : confidence)
}
