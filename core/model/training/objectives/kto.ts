import { answerAt, sigmoid, type ScoredUnit, type UnitLoss } from './scored.ts'

/** Strength and class weights of `kto`. */
export interface KtoSettings {
  readonly beta: number
  readonly desirableWeight: number
  readonly undesirableWeight: number
}

/**
 * The reference point of a step: the mean log ratio of policy and reference over answers that belong to other prompts,
 * not below zero. Each unit's second answer is such a one. No gradient passes through it.
 */
export function ktoReferencePoint(units: readonly ScoredUnit[]): number {
  let sum = 0
  for (const unit of units) {
    const other = answerAt(unit, 1)
    sum += other.logProb - other.reference
  }
  return Math.max(0, sum / Math.max(1, units.length))
}

/**
 * Kahneman-Tversky optimisation: with r = log p − log ref, 1 − σ(β·(r − z₀)) for a desirable answer and
 * 1 − σ(β·(z₀ − r)) for an undesirable one, times the class's weight (Ethayarajh et al., "KTO: Model Alignment as
 * Prospect Theoretic Optimization", 2024, equation 8). `referencePoint` is z₀.
 */
export function ktoLoss(unit: ScoredUnit, referencePoint: number, settings: KtoSettings): UnitLoss {
  const { logProb, reference } = answerAt(unit, 0)
  const sign = unit.isDesirable ? 1 : -1
  const weight = unit.isDesirable ? settings.desirableWeight : settings.undesirableWeight
  const value = sigmoid(sign * settings.beta * (logProb - reference - referencePoint))
  return { loss: weight * (1 - value), slopes: [-sign * weight * settings.beta * value * (1 - value), 0] }
}
