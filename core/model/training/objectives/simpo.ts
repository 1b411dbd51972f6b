import { answerAt, negativeLogSigmoid, sigmoid, type ScoredUnit, type UnitLoss } from './scored.ts'

/**
 * Simple preference optimisation: −log σ(β/|w|·log p_w − β/|l|·log p_l − γ) with γ = `gammaBetaRatio`·β; it needs no
 * reference (Meng et al., "SimPO: Simple Preference Optimization with a Reference-Free Reward", 2024, equation 6).
 */
export function simpoLoss(unit: ScoredUnit, beta: number, gammaBetaRatio: number): UnitLoss {
  const chosen = answerAt(unit, 0)
  const rejected = answerAt(unit, 1)
  const chosenScale = beta / chosen.tokens
  const rejectedScale = beta / rejected.tokens
  const margin = chosenScale * chosen.logProb - rejectedScale * rejected.logProb - gammaBetaRatio * beta
  const slope = sigmoid(-margin)
  return { loss: negativeLogSigmoid(margin), slopes: [-chosenScale * slope, rejectedScale * slope] }
}
