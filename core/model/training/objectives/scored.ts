/** The model's score of one answer. */
export interface ScoredAnswer {
  /** The sum of the log-probabilities of the answer's tokens. */
  readonly logProb: number
  /** The same under the reference, the base without the adapter; 0 for objectives that look at none. */
  readonly reference: number
  /** Number of tokens of the answer. */
  readonly tokens: number
}

/** A unit of an objective, with the scores of its answers. */
export interface ScoredUnit {
  readonly weight: number
  readonly isDesirable: boolean
  readonly answers: readonly ScoredAnswer[]
}

/** The loss of one row and its derivatives with respect to the `logProb` of each of its answers. */
export interface UnitLoss {
  readonly loss: number
  readonly slopes: readonly number[]
}

/** The answer at a place; throws a `RangeError` for a row without it. */
export function answerAt(unit: ScoredUnit, index: number): ScoredAnswer {
  const answer = unit.answers[index]
  if (answer === undefined) throw new RangeError(`the row has no answer ${index}`)
  return answer
}

/** The logistic function, without overflow on either side. */
export function sigmoid(x: number): number {
  if (x >= 0) return 1 / (1 + Math.exp(-x))
  const e = Math.exp(x)
  return e / (1 + e)
}

/** −log sigmoid(x), exact where sigmoid(x) is 0 or 1 to the last digit. */
export function negativeLogSigmoid(x: number): number {
  return Math.max(-x, 0) + Math.log1p(Math.exp(-Math.abs(x)))
}
