import type { ScoredUnit } from './scored.ts'

/**
 * The weights of the log-probabilities in the loss of one step: each row's weight over the weighted number of answer
 * tokens, so that the loss is the weighted mean of −log p over the answer tokens of the whole step.
 */
export function supervisedWeights(
  units: readonly Pick<ScoredUnit, 'weight'>[],
  answerTokens: readonly number[],
): readonly number[] {
  let total = 0
  for (const [index, { weight }] of units.entries()) total += weight * (answerTokens[index] ?? 0)
  return units.map(({ weight }) => (total > 0 ? weight / total : 0))
}
