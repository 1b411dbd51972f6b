import type { PlannedStep } from '../data/batches.ts'
import { packBatch, type PackedBatch } from '../data/packed-batch.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import { isPreference, type ObjectiveSettings, type PreferenceSettings } from '../objectives/objective.ts'
import { preferenceLoss } from '../objectives/preference.ts'
import { supervisedWeights } from '../objectives/supervised.ts'
import type { Unit } from '../rows.ts'
import { answerSums, scoredUnit, unweighted, type ScoreSums } from './score.ts'

/** Result of one step. */
export interface GradientStep {
  readonly loss: number
  /** The gradients of the whole step; valid until the next one. */
  readonly gradients: Float32Array
  readonly usefulTokens: number
}

/** A batch with its units and, for each sequence, the weight of minus the score of each of its answer tokens. */
interface WeightedAnswers {
  readonly batch: PackedBatch
  readonly weights: readonly number[]
}

/**
 * Loss and gradients of one step, over all of its batches. Losses that are functions of whole answers are computed from
 * a forward pass first; their derivatives then are the weights of the second pass, −Σ (−∂loss/∂log p)·log p having the
 * same gradient. `sum` takes the gradients of a step of several batches.
 */
export async function gradientStep(
  engine: TrainingEngine,
  step: PlannedStep,
  units: readonly Unit[],
  objective: ObjectiveSettings,
  reference: ScoreSums,
  sum: Float32Array,
): Promise<GradientStep> {
  const packed = step.map((planned) => packBatch(planned, units))
  const weighted = isPreference(objective)
    ? await weighByPreference(engine, step, packed, units, objective, reference)
    : weighAnswers(step, packed, units)
  const usefulTokens = packed.reduce((tokens, batch) => tokens + batch.usefulTokens, 0)
  let loss = 0
  if (packed.length > 1) sum.fill(0)
  for (const { batch, weights } of weighted.answers) {
    const result = await engine.step({ ...batch, weights: spread(batch, weights) })
    loss += result.loss
    if (packed.length > 1) addTo(sum, engine.gradients)
  }
  return {
    loss: weighted.loss ?? loss,
    gradients: packed.length > 1 ? sum : engine.gradients,
    usefulTokens,
  }
}

function weighAnswers(step: PlannedStep, packed: readonly PackedBatch[], units: readonly Unit[]) {
  const members = step.flatMap((planned) => planned.units.flatMap((index) => units[index] ?? []))
  const tokens = members.map(({ sequences }) => sequences[0]?.answer.length ?? 0)
  const weights = supervisedWeights(members, tokens)
  return { loss: undefined, answers: deal(packed, weights) }
}

async function weighByPreference(
  engine: TrainingEngine,
  step: PlannedStep,
  packed: readonly PackedBatch[],
  units: readonly Unit[],
  objective: PreferenceSettings,
  reference: ScoreSums,
) {
  const policy: number[] = []
  for (const batch of packed) policy.push(...answerSums(batch, await engine.forward(unweighted(batch))))
  let next = 0
  const scored = step.flatMap((planned) =>
    planned.units.flatMap((index) => {
      const unit = units[index]
      if (unit === undefined) return []
      const own = policy.slice(next, next + unit.sequences.length)
      next += unit.sequences.length
      return [scoredUnit(unit, own, reference[index] ?? [])]
    }),
  )
  const { loss, slopes } = preferenceLoss(objective, scored)
  return {
    loss,
    answers: deal(
      packed,
      slopes.flat().map((slope) => -slope),
    ),
  }
}

/** Hands the weights of all sequences of a step to the batches that hold them. */
function deal(packed: readonly PackedBatch[], weights: readonly number[]): WeightedAnswers[] {
  let next = 0
  return packed.map((batch) => {
    const own = weights.slice(next, next + batch.spans.length)
    next += batch.spans.length
    return { batch, weights: own }
  })
}

function spread(batch: PackedBatch, weights: readonly number[]): Float32Array {
  const result = new Float32Array(batch.bucket.answers)
  for (const [index, { start, count }] of batch.spans.entries()) {
    result.fill(weights[index] ?? 0, start, start + count)
  }
  return result
}

function addTo(sum: Float32Array, more: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + (more[i] ?? 0)
}
