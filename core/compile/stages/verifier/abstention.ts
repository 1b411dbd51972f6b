import type { Abstention } from './verifier-types.ts'

/** How far below the least confident right answer the threshold stays: room for right answers yet unseen. */
const MARGIN = 0.9

/**
 * The confidence below which a classifier abstains: nine tenths of the lowest confidence of any right answer in the
 * inner cross-validation. So it withholds none of those, and since an abstention counts as wrong in the accuracy, it
 * withholds only what would most likely have been wrong anyway: answers less certain than any that proved right.
 */
export function chooseAbstention(
  predictions: readonly { readonly confidence: number; readonly correct: boolean }[],
): Abstention {
  let lowestRight = 1
  let right = 0
  for (const { confidence, correct } of predictions) {
    if (!correct) continue
    right++
    if (confidence < lowestRight) lowestRight = confidence
  }
  const threshold = right === 0 ? 0 : Number((lowestRight * MARGIN).toFixed(4))
  const withheld = predictions.filter(({ confidence }) => confidence < threshold)
  return {
    threshold,
    chosen_on: 'inner_cross_validation',
    predictions: predictions.length,
    right_withheld: withheld.filter(({ correct }) => correct).length,
    wrong_withheld: withheld.filter(({ correct }) => !correct).length,
  }
}
