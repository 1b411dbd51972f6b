import { inferEquality } from '../../../core/compile/rows/equality/infer-equality.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import type { GateDecision } from '../../../core/learn/gate/states.ts'
import { BASELINE_RIGHT, CANDIDATE_RIGHT, resultsHash } from '../../../core/learn/gate/results.ts'
import { signGateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import { beginGate, decideGate, recordResults, type RunningGate } from '../../../db/learn/gates/run-gate.ts'
import { inSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type GateDeps, type GateRef } from './deps.ts'
import { openScorer, type Scorer } from './open-scorer.ts'
import { readPlan, type GatePlan } from './read-plan.ts'

/** Rows of one step: results are recorded after each. */
const STEP_ROWS = 64
/** The same for all rows of a sealed holdout, which end at no row before the last. */
const SEALED_STEP_ROWS = 1000

/**
 * Scores the rows of a gate with both artifacts, decides it and signs the receipt. Safe to repeat: results are recorded after
 * each step, scoring is deterministic, and the gate is decided once. What it returns says nothing of a row.
 */
export async function scoreGate(deps: GateDeps, ref: GateRef): Promise<{ readonly state: 'succeeded' }> {
  return await runActivity(
    deps.log,
    async (activity) => {
      const op = operationOf(deps, ref)
      const gate = await beginGate(op, ref.gateId)
      if (gate === null) return { state: 'succeeded' }
      await inSlot(deps, { lane: 'short', work: ref }, activity, async (working) => {
        const plan = await readPlan(op, ref.gateId, gate)
        const equality = inferEquality(
          plan.rows.map(({ output }) => output),
          [],
        )
        const artifactIds = [gate.candidateId, gate.baselineId]
        const scorer = await openScorer(deps, op, { artifactIds, equality })
        try {
          const results = await scoreRows({ deps, ref, gate, plan, scorer, activity: working })
          await conclude({ deps, ref, gate, plan, results })
        } finally {
          await scorer.close()
        }
      })
      return { state: 'succeeded' }
    },
    { stillMs: COMPUTE_STILL_MS },
  )
}

interface Scoring {
  readonly deps: GateDeps
  readonly ref: GateRef
  readonly gate: RunningGate
  readonly plan: GatePlan
  readonly scorer: Scorer
  readonly activity: RunningActivity
}

/** Scores step by step behind what an earlier attempt recorded, until the plan needs no further row. */
async function scoreRows({ deps, ref, gate, plan, scorer, activity }: Scoring): Promise<Uint8Array> {
  const op = operationOf(deps, ref)
  const step = gate.mode === 'sealed' ? SEALED_STEP_ROWS : STEP_ROWS
  let results: Uint8Array = gate.results ?? new Uint8Array()
  while (!plan.isOver(results)) {
    activity.signal.throwIfAborted()
    const rows = plan.rows.slice(results.length, results.length + step)
    const candidate = await scorer.score(gate.candidateId, rows, activity.signal)
    const baseline = await scorer.score(gate.baselineId, rows, activity.signal)
    const more = candidate.map(
      (right, at) => (right === 1 ? CANDIDATE_RIGHT : 0) | (baseline[at] === 1 ? BASELINE_RIGHT : 0),
    )
    results = Buffer.concat([results, more])
    await recordResults(op, ref.gateId, results)
    activity.note({ step: 'score', done: results.length, total: plan.rows.length })
  }
  return results
}

async function conclude({
  deps,
  ref,
  gate,
  plan,
  results,
}: Omit<Scoring, 'scorer' | 'activity'> & { readonly results: Uint8Array }): Promise<void> {
  const { decision, outcome, scored } = plan.decide(results)
  const { registration } = gate
  const facts = {
    gateId: ref.gateId,
    mode: gate.mode,
    decision,
    registrationHash: gate.registrationHash,
    dataRoot: plan.dataRoot,
    rows: scored,
    candidateCid: cidOf(registration, 'candidate'),
    baselineCid: cidOf(registration, 'baseline'),
    resultsHash: resultsHash(results.subarray(0, scored), plan.resultSalt),
    attempt: plan.attempt,
    alpha: gate.alpha,
    level: gate.level,
    runtimeVersion: RUNTIME_VERSION,
    issuedAt: deps.now(),
  }
  const signer = { macKey: await deps.receiptKey(ref.tenantId), signingKey: deps.signer }
  const decided: { decision: GateDecision; outcome: JsonObject | null } = { decision, outcome }
  await decideGate(operationOf(deps, ref), ref.gateId, { ...decided, receipt: signGateReceipt(facts, signer) })
}

function cidOf(registration: JsonObject, side: 'candidate' | 'baseline'): string {
  const { cid } = isJsonObject(registration[side]) ? registration[side] : {}
  if (typeof cid !== 'string') throw new Error('a registration names the CID of both artifacts')
  return cid
}
