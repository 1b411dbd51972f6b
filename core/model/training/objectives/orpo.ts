import { answerAt, negativeLogSigmoid, sigmoid, type ScoredAnswer, type ScoredUnit, type UnitLoss } from './scored.ts'

/** The nearest to certainty that a mean log-probability may come: there the odds end. */
const SUREST = -1e-7

/**
 * Odds ratio preference optimisation: −log p_w/|w| − λ·log σ(log odds_w − log odds_l), with odds = p/(1 − p) and p the
 * geometric mean of the answer's token probabilities (Hong et al., "ORPO: Monolithic Preference Optimization without
 * Reference Model", 2024, equations 6 and 7).
 */
export function orpoLoss(unit: ScoredUnit, lambda: number): UnitLoss {
  const chosen = logOdds(answerAt(unit, 0))
  const rejected = logOdds(answerAt(unit, 1))
  const margin = chosen.value - rejected.value
  const slope = lambda * sigmoid(-margin)
  return {
    loss: -chosen.mean + lambda * negativeLogSigmoid(margin),
    slopes: [-1 / chosen.tokens - slope * chosen.slope, slope * rejected.slope],
  }
}

/** log(p/(1 − p)) = m − log(1 − eᵐ) for the mean log-probability m; its slope in the sum is 1/((1 − eᵐ)·tokens). */
function logOdds({ logProb, tokens }: ScoredAnswer) {
  const mean = logProb / tokens
  const bounded = Math.min(mean, SUREST)
  const rest = -Math.expm1(bounded)
  return { mean, tokens, value: bounded - Math.log(rest), slope: mean > SUREST ? 0 : 1 / (rest * tokens) }
}
