import { createHmac } from 'node:crypto'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { isJsonObject, type JsonObject, type Sha256 } from '../../../core/kernel/json/json.ts'
import type { MacSecret } from '../../../core/kernel/json/mac.ts'
import { followResults, isPromoted, type SequentialPlan } from '../../../core/learn/gate/decide.ts'
import { SET_ORDER } from '../../../core/learn/gate/registration.ts'
import { BASELINE_RIGHT, CANDIDATE_RIGHT, rowsRoot, scoringOrder } from '../../../core/learn/gate/results.ts'
import {
  numberOf,
  sequentialOutcome,
  sequentialPlanOf,
  thresholdsOf,
} from '../../../core/learn/gate/sequential-outcome.ts'
import type { GateDecision } from '../../../core/learn/gate/states.ts'
import { readStoredRows, type HoldoutRow } from '../../../core/learn/holdout/parse-rows.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import type { RunningGate } from '../../../db/learn/gates/run-gate.ts'
import { openHoldout } from '../../../db/learn/holdouts/reveal-holdout.ts'

/** The registered plan of a gate. */
export interface GatePlan {
  /** In the order of scoring. */
  readonly rows: readonly HoldoutRow[]
  readonly dataRoot: Sha256
  /** Salt of the root over results. */
  readonly resultSalt: MacSecret
  readonly attempt: number | null
  /** True when no further row is to be scored. */
  isOver(results: Uint8Array): boolean
  /** Decides by the results: with the figures that may be answered, and the number of rows that counted. */
  decide(results: Uint8Array): {
    readonly decision: GateDecision
    readonly outcome: JsonObject | null
    readonly scored: number
  }
}

/** Far more than the rows of any gate. */
const MOST_BYTES = 256 * 1024 * 1024
/** Rows named in an outcome whose results differ. */
const MOST_FLIPS = 200

/** Reads the rows of a gate and its registered terms. Throws `not_found` when the holdout was deleted meanwhile. */
export async function readPlan(op: Operation, gateId: string, gate: RunningGate): Promise<GatePlan> {
  const { registration } = gate
  const thresholds = thresholdsOf(registration)
  if (gate.holdoutId !== null && gate.holdoutId !== undefined) {
    const { rows, salt } = await openHoldout(op, gate.holdoutId)
    return {
      rows,
      dataRoot: rootOf(registration),
      resultSalt: createHmac('sha256', salt).update(gateId).digest(),
      attempt: numberOf(registration, 'attempt'),
      isOver: (results) => results.length >= rows.length,
      decide: (results) => ({
        decision: isPromoted(results, { level: gate.level, thresholds }) ? 'promote' : 'block',
        outcome: null,
        scored: rows.length,
      }),
    }
  }
  if (gate.blobSha256 === null) throw KERNEL_ERRORS.internal('a gate under way has no rows')
  const given = readStoredRows(await getBlob(op.db, gate.blobSha256, MOST_BYTES))
  if (rowsRoot(given) !== rootOf(registration)) throw KERNEL_ERRORS.internal('the rows of a gate were changed')
  const order = scoringOrder(seedOf(registration, gateId), given)
  const rows = order.flatMap((place) => given[place] ?? [])
  const plan = sequentialPlanOf(registration, gate.alpha)
  return {
    rows,
    dataRoot: rootOf(registration),
    resultSalt: gateId,
    attempt: numberOf(registration, 'attempt'),
    isOver: (results) => followResults(results, rows.length, plan).end !== null,
    decide: (results) => decideSequential(results, { order, plan, total: rows.length }),
  }
}

function decideSequential(
  results: Uint8Array,
  { order, plan, total }: { readonly order: readonly number[]; readonly plan: SequentialPlan; readonly total: number },
): ReturnType<GatePlan['decide']> {
  const { rows, end } = followResults(results, total, plan)
  const flips = [...results.subarray(0, rows).entries()].flatMap(([at, bits]) =>
    bits === CANDIDATE_RIGHT || bits === BASELINE_RIGHT
      ? [{ row: order[at] ?? 0, right: bits === CANDIDATE_RIGHT ? 'candidate' : 'baseline' }]
      : [],
  )
  return {
    decision: end === 'promote' ? 'promote' : 'block',
    scored: rows,
    outcome: {
      ...sequentialOutcome(results, total, plan),
      ended_by: end ?? 'out_of_rows',
      flips: flips.slice(0, MOST_FLIPS),
    },
  }
}

/** The seed of the order in which rows are scored: the digest of their set, or of a gate that was registered before its id. */
function seedOf({ data }: JsonObject, gateId: string): string {
  const { order, set_hash: set } = isJsonObject(data) ? data : {}
  return order === SET_ORDER && typeof set === 'string' ? set : gateId
}

function rootOf(registration: JsonObject): Sha256 {
  const data = registration['data']
  const root = isJsonObject(data) ? data['root'] : undefined
  if (typeof root !== 'string') throw new Error('a registration names the root of its rows')
  return `sha256:${root.slice('sha256:'.length)}`
}
