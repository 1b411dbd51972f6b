import { inferEquality } from '../../../core/compile/rows/equality/infer-equality.ts'
import { runTerms } from '../../../core/compile/stages/pool/run-terms.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { RUNTIME_VERSION } from '../../../core/kernel/version.ts'
import { isJsonObject } from '../../../core/kernel/json/json.ts'
import type { GateDecision } from '../../../core/learn/gate/states.ts'
import { BASELINE_RIGHT, CANDIDATE_RIGHT, resultsHash } from '../../../core/learn/gate/results.ts'
import { signGateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import { recipeKinds } from '../../../db/compile/compute/recipe-kinds.ts'
import { beginGate, decideGate, recordResults, type RunningGate } from '../../../db/learn/gates/run-gate.ts'
import { inSlot, type HeldSlot } from '../../compute-slot.ts'
import { COMPUTE_STILL_MS, runActivity, type RunningActivity } from '../../kernel/run-activity.ts'
import { operationOf, type GateDeps, type GateRef } from './deps.ts'
import { openScorer, type Scorer } from './open-scorer.ts'
import { readPlan, type GatePlan } from './read-plan.ts'

/** Rows of one step: results are recorded after each. */
const STEP_ROWS = 64
/** The same for all rows of a sealed holdout, which end at no row before the last. */
const SEALED_STEP_ROWS = 1000
/** The same where a base answers, in both modes: other tenants wait for the end of a step. */
const GENERATED_STEP_ROWS = 16

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
      const artifactIds = [gate.candidateId, gate.baselineId]
      const sides = artifactIds.map((artifactId) => ({ kind: 'artifact', artifactId }))
      const kinds = await recipeKinds(op, ref.tenantId, sides)
      const terms = runTerms(sides, kinds)
      await inSlot(deps, { ...terms, work: ref }, activity, async (working, slot) => {
        const plan = await readPlan(op, ref.gateId, gate)
        const equality = inferEquality(
          plan.rows.map(({ output }) => output),
          [],
        )
        const scorer = await openScorer(deps, op, { artifactIds, kinds, equality })
        const sealedStep = gate.mode === 'sealed' ? SEALED_STEP_ROWS : STEP_ROWS
        const stepRows = terms.takesTurns ? GENERATED_STEP_ROWS : sealedStep
        try {
          const results = await scoreRows({ deps, ref, gate, plan, scorer, slot, stepRows, activity: working })
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
  readonly slot: HeldSlot
  readonly stepRows: number
  readonly activity: RunningActivity
}

/** Scores step by step behind what an earlier attempt recorded, until the plan needs no further row. */
async function scoreRows(scoring: Scoring): Promise<Uint8Array> {
  const { deps, ref, gate, plan, scorer, slot, stepRows, activity } = scoring
  const op = operationOf(deps, ref)
  let results: Uint8Array = gate.results ?? new Uint8Array()
  while (!plan.isOver(results)) {
    activity.signal.throwIfAborted()
    if (slot.turnOver.aborted) {
      await scorer.close()
      await slot.nextTurn()
    }
    const rows = plan.rows.slice(results.length, results.length + stepRows)
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
}: Pick<Scoring, 'deps' | 'ref' | 'gate' | 'plan'> & { readonly results: Uint8Array }): Promise<void> {
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
