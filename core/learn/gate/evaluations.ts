import type { JsonObject, Sha256 } from '../../kernel/json/json.ts'
import { leafHash, MerkleFrontier } from '../../ledger/merkle/frontier.ts'
import type { ComparedRow, RowPair } from '../evals/compare/pair-rows.ts'
import { gainPValue, isPromoted } from './decide.ts'
import type { GateThresholds } from './registration.ts'
import { BASELINE_RIGHT, CANDIDATE_RIGHT, countResults, resultsHash } from './results.ts'
import type { GateDecision } from './states.ts'

/** One of the two evaluations of a gate. */
export interface EvaluationSide {
  readonly evaluationId: string
  /** The target by its name for people. */
  readonly target: string
  /** Null for a target that is no artifact. */
  readonly cid: string | null
}

/** A gate on two evaluations, paired by row: the first of each pair is of the baseline. */
export interface EvaluationGate {
  readonly gateId: string
  readonly candidate: EvaluationSide
  readonly baseline: EvaluationSide
  readonly rows: { readonly candidate: readonly ComparedRow[]; readonly baseline: readonly ComparedRow[] }
  readonly pairs: readonly RowPair[]
  readonly thresholds: GateThresholds
  readonly alpha: number
  readonly decidedAt: Date
}

/** The decision of a gate on evaluations, with the documents that its receipt names. */
export interface DecidedEvaluations {
  readonly decision: GateDecision
  readonly registration: JsonObject
  readonly outcome: JsonObject
  readonly dataRoot: Sha256
  readonly resultsHash: Sha256
}

/**
 * Decides a gate on two evaluations by McNemar's exact test over the rows that both scored, and its thresholds. The rows were
 * scored before, so its terms are recorded with the decision.
 */
export function decideEvaluations(gate: EvaluationGate): DecidedEvaluations {
  const { gateId, candidate, baseline, rows, pairs, thresholds, alpha } = gate
  const results = Uint8Array.from(
    pairs,
    ({ first, second }) => (second.isRight ? CANDIDATE_RIGHT : 0) | (first.isRight ? BASELINE_RIGHT : 0),
  )
  const counts = countResults(results)
  const dataRoot = pairsRoot(pairs, rows.baseline)
  return {
    decision: isPromoted(results, { level: alpha, thresholds }) ? 'promote' : 'block',
    dataRoot,
    resultsHash: resultsHash(results, gateId),
    registration: {
      spec: 'svc-gate-registration-1',
      gate_id: gateId,
      mode: 'evaluations',
      candidate: documentOf(candidate),
      baseline: documentOf(baseline),
      data: {
        root: dataRoot,
        rows: pairs.length,
        unpaired: { candidate: rows.candidate.length - pairs.length, baseline: rows.baseline.length - pairs.length },
        order: 'that of the baseline',
        learned_rows: 'not_checked',
      },
      score: 'right or wrong as the evaluations scored the rows',
      test: 'mcnemar, exact, one-sided',
      thresholds: { min_kscore_delta: thresholds.minDelta, min_kscore_abs: thresholds.minAccuracy },
      alpha,
      level: alpha,
      registered_at: gate.decidedAt.toISOString(),
    },
    outcome: {
      rows_scored: counts.rows,
      candidate_right: counts.candidate,
      baseline_right: counts.baseline,
      won: counts.won,
      lost: counts.lost,
      mean_difference: (counts.won - counts.lost) / counts.rows,
      p_value: gainPValue(counts),
    },
  }
}

function documentOf({ evaluationId, target, cid }: EvaluationSide): JsonObject {
  return { evaluation_id: evaluationId, target, cid }
}

/** Returns the root of the Merkle tree (RFC 6962, 2.1) over the pairs: a leaf is `<hash of the row> <task>`. */
function pairsRoot(pairs: readonly RowPair[], baseline: readonly ComparedRow[]): Sha256 {
  const hashes = new Map(baseline.map(({ place, hash }) => [place, hash]))
  const tree = new MerkleFrontier()
  for (const { task, first } of pairs) tree.append(leafHash(`${hashes.get(first.place) ?? ''} ${task}`))
  return tree.root()
}
