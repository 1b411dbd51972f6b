import { meanInterval, mean, standardError } from '../../kernel/statistics/means.ts'
import { wilsonInterval } from '../../kernel/statistics/wilson-interval.ts'

/** Log-probability of an answer under the student and under its base, and the tokens of it. */
export interface ScoredAnswer {
  readonly student: number
  readonly base: number
  readonly tokens: number
}

/** A held-out pair with the log-probabilities of its answers. */
export interface ScoredPair {
  readonly chosen: ScoredAnswer
  readonly rejected: ScoredAnswer
}

/** Figures of held-out pairs. */
export interface RewardFigures {
  readonly pairs: number
  /** Share of the pairs whose chosen answer has the larger reward, with its 95 % interval. */
  readonly reward_accuracy: number
  readonly reward_accuracy_interval: readonly [number, number]
  /** Mean reward of the chosen answers less that of the rejected ones, with its 95 % interval. */
  readonly reward_margin: number
  readonly reward_margin_interval: readonly [number, number]
  /** Share of the pairs whose chosen answer is the likelier one per token, before and after. */
  readonly likelier_before: number
  readonly likelier_after: number
}

/**
 * Returns the implicit reward of an answer: beta times the gain in log-probability over the base for objectives with a reference, beta
 * times the log-probability per token for those without (reference 15.2; TRL reports the same).
 */
function rewardOf({ student, base, tokens }: ScoredAnswer, objective: string, beta: number): number {
  if (objective === 'dpo' || objective === 'kto') return beta * (student - base)
  return (beta * student) / Math.max(1, tokens)
}

/** Computes the figures of held-out pairs; null without a pair. */
export function rewardFigures(pairs: readonly ScoredPair[], objective: string, beta: number): RewardFigures | null {
  if (pairs.length === 0) return null
  const margins = pairs.map(
    ({ chosen, rejected }) => rewardOf(chosen, objective, beta) - rewardOf(rejected, objective, beta),
  )
  const right = margins.filter((margin) => margin > 0).length
  const accuracy = wilsonInterval(right, pairs.length)
  const middle = mean(margins)
  const spread = meanInterval(middle, standardError(margins))
  const perToken = (of: 'student' | 'base') =>
    pairs.filter(
      ({ chosen, rejected }) => chosen[of] / Math.max(1, chosen.tokens) > rejected[of] / Math.max(1, rejected.tokens),
    ).length / pairs.length
  return {
    pairs: pairs.length,
    reward_accuracy: right / pairs.length,
    reward_accuracy_interval: [accuracy.low, accuracy.high],
    reward_margin: middle,
    reward_margin_interval: [spread.low, spread.high],
    likelier_before: perToken('base'),
    likelier_after: perToken('student'),
  }
}
