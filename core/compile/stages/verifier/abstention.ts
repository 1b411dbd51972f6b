import type { Abstention } from './verifier-types.ts'

/** Threshold relative to the least confident right answer: room for unseen right answers. */
const MARGIN = 0.9

/**
 * Returns the confidence below which a classifier or a tabular model abstains: nine tenths of the lowest confidence of any right answer in
 * the inner cross-validation. It withholds none of those answers. An abstention counts as wrong in the accuracy, so it
 * withholds only answers less certain than any proven one, which are most likely wrong.
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
