import { answerAt, negativeLogSigmoid, sigmoid, type ScoredUnit, type UnitLoss } from './scored.ts'

/**
 * Direct preference optimisation: −log σ(β·[(log p_w − log ref_w) − (log p_l − log ref_l)]), where w is the chosen and l
 * the rejected answer (Rafailov et al., "Direct Preference Optimization", 2023, equation 7).
 */
export function dpoLoss(unit: ScoredUnit, beta: number): UnitLoss {
  const chosen = answerAt(unit, 0)
  const rejected = answerAt(unit, 1)
  const margin = beta * (chosen.logProb - chosen.reference - (rejected.logProb - rejected.reference))
  const slope = beta * sigmoid(-margin)
  return { loss: negativeLogSigmoid(margin), slopes: [-slope, slope] }
}
