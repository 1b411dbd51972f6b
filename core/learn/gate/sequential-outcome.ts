import { isJsonObject, type JsonObject } from '../../kernel/json/json.ts'
import { followResults, type SequentialPlan } from './decide.ts'
import type { GateThresholds } from './registration.ts'

/** Returns the plan of a sequential gate, as it was registered. */
export function sequentialPlanOf(registration: JsonObject, alpha: number): SequentialPlan {
  return {
    alpha,
    planned: numberOf(registration, 'planned_effect') ?? 0,
    futility: numberOf(registration, 'futility') ?? 0,
    thresholds: thresholdsOf(registration),
  }
}

/** Returns the registered thresholds of a gate. */
export function thresholdsOf(registration: JsonObject): GateThresholds {
  const stated = registration['thresholds']
  const thresholds = isJsonObject(stated) ? stated : {}
  return {
    minDelta: numberOf(thresholds, 'min_kscore_delta') ?? 0,
    minAccuracy: numberOf(thresholds, 'min_kscore_abs') ?? 0,
  }
}

/** Returns a number of a document by its name; null where it has none. */
export function numberOf(document: JsonObject, name: string): number | null {
  const value = document[name]
  return typeof value === 'number' ? value : null
}

/**
 * Returns the figures of a sequential gate after the results so far, with the evidence as it grew: valid after every row, so they
 * may be shown before the end. `ended_by` is null while more rows are needed.
 */
export function sequentialOutcome(results: Uint8Array, total: number, plan: SequentialPlan): JsonObject {
  const { rows, won, lost, candidate, baseline, evidence, against, path, end } = followResults(results, total, plan)
  return {
    ended_by: end,
    rows_scored: rows,
    rows_given: total,
    candidate_right: candidate,
    baseline_right: baseline,
    won,
    lost,
    mean_difference: rows === 0 ? 0 : (won - lost) / rows,
    evidence,
    evidence_against: against,
    p_value: Math.min(1, 1 / Math.max(...path.map((point) => point.evidence), 1)),
    path: path.map((point) => ({ ...point })),
  }
}
