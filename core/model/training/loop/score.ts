import type { Batch, Bucket } from '../../llama/batch.ts'
import { planOnce } from '../data/batches.ts'
import { sizeOf } from '../data/buckets.ts'
import { packBatch, type PackedBatch } from '../data/packed-batch.ts'
import type { TrainingEngine } from '../../llama/engine/engine.ts'
import { isDivergence, isPreference, needsReference, type ObjectiveSettings } from '../objectives/objective.ts'
import { preferenceLoss } from '../objectives/preference.ts'
import type { ScoredUnit } from '../objectives/scored.ts'
import { supervisedWeights } from '../objectives/supervised.ts'
import type { Unit } from '../rows.ts'

/** Sums of the scores of answer tokens, one for each sequence of each unit: log-probabilities, or minus divergences. */
export type ScoreSums = readonly (readonly number[])[]

/** Settings for scoring many units. */
export interface ScoreSettings {
  readonly buckets: readonly Bucket[]
  /** Called between two runs of the graph; throws to end the work. */
  readonly onPause: () => Promise<void>
}

/** Returns a batch with answer weights of zero, for the forward graph. */
export function unweighted(batch: PackedBatch): Batch {
  return { ...batch, weights: new Float32Array(batch.bucket.answers) }
}

/** The sums over each answer of a batch, in the order of its sequences. */
export function answerSums(batch: PackedBatch, scores: Float32Array): readonly number[] {
  return batch.spans.map(({ start, count }) => {
    let sum = 0
    for (let i = start; i < start + count; i++) sum += scores[i] ?? 0
    return sum
  })
}

/** The sums of all units' answers, with the engine's values or with others. */
export async function scoreUnits(
  engine: TrainingEngine,
  units: readonly Unit[],
  settings: ScoreSettings,
  values?: Float32Array,
): Promise<ScoreSums> {
  const sums: (readonly number[])[] = units.map(() => [])
  for (const planned of planOnce(units.map(sizeOf), settings.buckets)) {
    await settings.onPause()
    const batch = packBatch(planned, units)
    const own = answerSums(batch, await engine.forward(unweighted(batch), values))
    let next = 0
    for (const index of planned.units) {
      const count = units[index]?.sequences.length ?? 0
      sums[index] = own.slice(next, next + count)
      next += count
    }
  }
  return sums
}

/**
 * The log-probabilities under the base without the adapter: with all factors 0. Zeros for objectives that look at no
 * reference.
 */
export async function scoreReference(
  engine: TrainingEngine,
  units: readonly Unit[],
  objective: ObjectiveSettings,
  settings: ScoreSettings,
): Promise<ScoreSums> {
  if (!needsReference(objective)) return units.map(({ sequences }) => sequences.map(() => 0))
  return await scoreUnits(engine, units, settings, new Float32Array(engine.values.length))
}

/** A unit as its objective sees it. */
export function scoredUnit(unit: Unit, policy: readonly number[], reference: readonly number[]): ScoredUnit {
  return {
    weight: unit.weight,
    isDesirable: unit.isDesirable,
    answers: unit.sequences.map(({ answer }, index) => ({
      logProb: policy[index] ?? 0,
      reference: reference[index] ?? 0,
      tokens: answer.length,
    })),
  }
}

/** Returns true for an objective that teaches answers, whose risk is the expected share of wrong ones. */
export function isAnswering(objective: ObjectiveSettings): boolean {
  return !isPreference(objective) && !isDivergence(objective)
}

/**
 * Returns the value that early stopping minimises. For answers, it is the expected share of wrong answers when they are
 * sampled: 1 − the weighted mean of p(answer). It is bounded, so that a few misses of a confident model do not outweigh
 * all of its right answers, as they do in the loss. For preferences and divergences it is the loss.
 */
export function riskOf(units: readonly Unit[], objective: ObjectiveSettings, policy: ScoreSums, loss: number): number {
  if (!isAnswering(objective)) return loss
  let [right, total] = [0, 0]
  for (const [index, { weight }] of units.entries()) {
    right += weight * Math.exp(policy[index]?.[0] ?? 0)
    total += weight
  }
  return total > 0 ? 1 - right / total : 1
}

/** The loss of all units under an objective, without learning from them. */
export function lossOf(
  units: readonly Unit[],
  objective: ObjectiveSettings,
  policy: ScoreSums,
  reference: ScoreSums,
): number {
  if (isPreference(objective)) {
    const scored = units.map((unit, index) => scoredUnit(unit, policy[index] ?? [], reference[index] ?? []))
    return preferenceLoss(objective, scored).loss
  }
  const weights = supervisedWeights(
    units,
    units.map(({ sequences }) => sequences[0]?.answer.length ?? 0),
  )
  return -weights.reduce((sum, weight, index) => sum + weight * (policy[index]?.[0] ?? 0), 0)
}
