import { dpoLoss } from './dpo.ts'
import { ktoLoss, ktoReferencePoint } from './kto.ts'
import type { PreferenceSettings } from './objective.ts'
import { orpoLoss } from './orpo.ts'
import type { ScoredUnit, UnitLoss } from './scored.ts'
import { simpoLoss } from './simpo.ts'

/** The loss of a step and, for each answer of each unit, its derivative with respect to the answer's `logProb`. */
export interface StepLoss {
  readonly loss: number
  readonly slopes: readonly (readonly number[])[]
}

/** The mean loss of the rows of one step, each counted by its own weight. */
export function preferenceLoss(objective: PreferenceSettings, units: readonly ScoredUnit[]): StepLoss {
  const lossOf = unitLoss(objective, units)
  const total = units.reduce((sum, { weight }) => sum + weight, 0)
  let loss = 0
  const slopes = units.map((unit) => {
    const share = total > 0 ? unit.weight / total : 0
    const own = lossOf(unit)
    loss += share * own.loss
    return own.slopes.map((slope) => share * slope)
  })
  return { loss, slopes }
}

function unitLoss(objective: PreferenceSettings, units: readonly ScoredUnit[]): (unit: ScoredUnit) => UnitLoss {
  switch (objective.kind) {
    case 'dpo':
      return (unit) => dpoLoss(unit, objective.beta)
    case 'simpo':
      return (unit) => simpoLoss(unit, objective.beta, objective.gammaBetaRatio)
    case 'orpo':
      return (unit) => orpoLoss(unit, objective.lambda)
    case 'kto': {
      const referencePoint = ktoReferencePoint(units)
      return (unit) => ktoLoss(unit, referencePoint, objective)
    }
  }
}
