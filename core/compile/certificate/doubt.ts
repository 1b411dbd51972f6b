import { roundConfidence } from './risk-curve.ts'

/** Most confidence of an answer in doubt: nothing was measured on such answers (rule of succession without trials). */
const DOUBTED = 0.5

/**
 * Returns the confidence of an answer, with at most six decimals: that of the recipe, but no more than one half when the
 * answer fails a check or its input is unlike the rows.
 */
export function confidenceOf(confidence: number, isDoubted: boolean): number {
  return roundConfidence(isDoubted ? Math.min(confidence, DOUBTED) : confidence)
}
