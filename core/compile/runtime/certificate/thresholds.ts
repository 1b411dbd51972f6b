/**
 * Most confidence of a suspect answer: nothing was measured on such answers (rule of succession without trials). No
 * certificate lets an answer of so little confidence through.
 */
export const DOUBTED = 0.5

/** The series E24 of preferred numbers (IEC 60063): steps of about a tenth. */
const E24 = [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91] as const
const DECADES = 4
const DIGITS = 5

/**
 * The thresholds of confidence that a certificate may have, highest first: 1 less each number of E24 from 0.0001 to 1.
 * They are fixed before any row is seen, which the proof needs.
 */
export const THRESHOLDS: readonly number[] = [
  ...Array.from({ length: DECADES }, (_, decade) =>
    E24.map((step) => Number((1 - step / 10 ** (DIGITS - decade)).toFixed(DIGITS + 1))),
  ).flat(),
  0,
]

/** Place of the last threshold that is tested: below it an answer would be more likely wrong than right, or suspect. */
const LAST_TESTED = THRESHOLDS.findLastIndex((threshold) => threshold > DOUBTED)

/**
 * Returns the places in `THRESHOLDS` that are tested: from the one where a calibrated answer is wrong with at most the
 * allowed probability, to the last one above one half.
 */
export function testedPlaces(maxError: number): { readonly from: number; readonly to: number } {
  const below = THRESHOLDS.findIndex((threshold) => Number((1 - threshold).toFixed(DIGITS + 1)) > maxError)
  return { from: Math.min(LAST_TESTED, Math.max(0, below - 1)), to: LAST_TESTED }
}
