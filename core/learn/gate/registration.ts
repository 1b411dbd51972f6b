import { hashJson, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import type { MeasuredMode } from '../../ledger/receipts/gate-receipt.ts'

/** One of the two artifacts of a gate. */
export interface GateSide {
  readonly artifactId: string
  readonly cid: string
  /** Whether the examples of its compile were still kept, so that rows that it learned from could be found. */
  readonly examples: 'kept' | 'not_kept'
}

/** Thresholds of a measured gate, beside its test. */
export interface GateThresholds {
  /** The least gain in accuracy over the rows. */
  readonly minDelta: number
  /** The least accuracy of the candidate. */
  readonly minAccuracy: number
}

/** The order of rows by SHA-256 of the digest of their set and the row. Gates of before had the gate's id in place of the digest. */
export const SET_ORDER = 'sha256_of_set_hash_and_row'

/** The facts of a gate that are fixed before its first row is scored. */
export interface RegistrationFacts {
  readonly gateId: string
  readonly mode: MeasuredMode
  readonly candidate: GateSide
  readonly baseline: GateSide
  readonly corpusId: string | null
  readonly dataRoot: Sha256
  /** Digest of the rows of a sequential gate as a set; null for a holdout. */
  readonly setHash: Sha256 | null
  readonly rows: number
  /** Rows that were left out, since one of the artifacts learned from them. */
  readonly learnedRows: number
  readonly thresholds: GateThresholds
  readonly alpha: number
  readonly level: number
  /** Of attempts on a holdout, or of gates of these two artifacts on these rows. */
  readonly attempt: number
  readonly promotions: number | null
  /** Of the sequential mode: the gain that is hoped for, and the level at which it is given up. */
  readonly planned: number | null
  readonly futility: number | null
  readonly registeredAt: Date
}

/** Returns the document of a registration. */
export function registrationOf(facts: RegistrationFacts): JsonObject {
  const side = ({ artifactId, cid, examples }: GateSide) => ({ artifact_id: artifactId, cid, examples })
  const isSealed = facts.mode === 'sealed'
  return {
    spec: 'svc-gate-registration-1',
    gate_id: facts.gateId,
    mode: facts.mode,
    candidate: side(facts.candidate),
    baseline: side(facts.baseline),
    data: {
      corpus_id: facts.corpusId,
      root: facts.dataRoot,
      ...(facts.setHash !== null && { set_hash: facts.setHash }),
      rows: facts.rows,
      learned_rows_left_out: facts.learnedRows,
      order: isSealed ? 'stored' : SET_ORDER,
    },
    score: 'right or wrong by svc-equality-1, inferred from the expected outputs',
    test: isSealed
      ? 'mcnemar, exact, one-sided'
      : 'betting e-process on the paired difference (Waudby-Smith and Ramdas 2023)',
    thresholds: {
      min_kscore_delta: facts.thresholds.minDelta,
      min_kscore_abs: facts.thresholds.minAccuracy,
    },
    alpha: facts.alpha,
    level: facts.level,
    attempt: facts.attempt,
    promotions: facts.promotions,
    planned_effect: facts.planned,
    futility: facts.futility,
    registered_at: facts.registeredAt.toISOString(),
  }
}

/** Returns the hash by which a receipt names a registration. */
export function registrationHash(registration: JsonObject): Sha256 {
  return hashJson(registration)
}
