import type { TrainingEngine } from '../../llama/engine/engine.ts'
import type { PlannedStep } from '../data/batches.ts'
import type { ObjectiveSettings } from '../objectives/objective.ts'
import type { Unit } from '../rows.ts'
import { isAnswering, lossOf, riskOf, scoreReference, scoreUnits, type ScoreSettings } from './score.ts'
import type { TrainingState } from './state.ts'
import type { DomainError } from '../../../kernel/errors.ts'
import { MODEL_ERRORS } from '../../errors.ts'

/** Looks at rows that are not trained on and keeps the values that did best on them. */
export interface Validation {
  /** Returns true when a validation is due after the state's step and has not been made. */
  isDue(state: TrainingState): boolean
  /**
   * Validates: records loss and risk, and the values when they are the best so far. Throws `training_diverged` with the
   * step when the loss is no longer finite.
   */
  look(state: TrainingState): Promise<void>
}

/** Early stopping on these units; with none of them no look is ever due. */
export async function createValidation(
  engine: TrainingEngine,
  units: readonly Unit[],
  objective: ObjectiveSettings,
  epochs: readonly (readonly PlannedStep[])[],
  settings: ScoreSettings & { readonly evaluationsPerEpoch: number },
): Promise<Validation> {
  const reference = await scoreReference(engine, units, objective, settings)
  const steps = units.length === 0 ? new Set<number>() : lookSteps(epochs, settings.evaluationsPerEpoch)
  return {
    isDue: ({ step, history }) => steps.has(step) && history.validations.at(-1)?.step !== step,
    async look(state) {
      const sums = await scoreUnits(engine, units, settings)
      const loss = lossOf(units, objective, sums, reference)
      if (!Number.isFinite(loss)) throw diverged(state.step)
      const risk = riskOf(units, objective, sums, loss)
      const accuracy = isAnswering(objective) ? 1 - risk : null
      state.history.validations.push({ step: state.step, loss, risk, accuracy })
      if (state.best === null || risk < state.best.risk) {
        state.best = { step: state.step, risk, values: engine.values.slice() }
        state.looksWithoutGain = 0
      } else state.looksWithoutGain++
    },
  }
}

function diverged(step: number): DomainError {
  return MODEL_ERRORS.training_diverged(`the loss of the validation rows is no longer finite after step ${step}`, {
    details: { step },
  })
}

/**
 * Returns the steps after which the validation rows are evaluated: evenly over each epoch, always after its last step.
 */
function lookSteps(epochs: readonly (readonly PlannedStep[])[], perEpoch: number): Set<number> {
  const steps = new Set<number>()
  let before = 0
  for (const { length } of epochs) {
    for (let part = 1; part <= perEpoch; part++) steps.add(before + Math.max(1, Math.round((part * length) / perEpoch)))
    before += length
  }
  return steps
}
