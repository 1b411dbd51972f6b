import { GateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import type { z } from 'zod'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { sequentialOutcome, sequentialPlanOf } from '../../../core/learn/gate/sequential-outcome.ts'
import type { GateView } from '../../../core/learn/wire/gates.ts'
import type { FoundGate, GateState } from '../../../db/learn/gates/find-gate.ts'

/** Returns a measured gate as routes answer it: a sequential one under way with the evidence of the results so far. */
export function presentGate(gate: GateState & Partial<FoundGate>): z.input<typeof GateView> {
  const { id, decision, receipt } = gate
  const isOfArtifacts = gate.mode !== 'evaluations'
  return {
    gate_id: id,
    mode: gate.mode,
    measured: true,
    state: gate.state,
    decision: decision ?? null,
    promote: decision === null || decision === undefined ? null : decision === 'promote',
    candidate_artifact_id: isOfArtifacts ? gate.candidateId : null,
    baseline_artifact_id: isOfArtifacts ? gate.baselineId : null,
    candidate_evaluation_id: isOfArtifacts ? null : gate.candidateId,
    baseline_evaluation_id: isOfArtifacts ? null : gate.baselineId,
    rows: gate.rowCount,
    registration: gate.registration,
    registration_hash: gate.registrationHash,
    outcome: gate.outcome ?? outcomeSoFar(gate),
    receipt: receipt === null || receipt === undefined ? null : GateReceipt.parse(receipt),
    error_code: gate.errorCode ?? null,
    created_at: gate.createdAt.toISOString(),
    finished_at: gate.finishedAt?.toISOString() ?? null,
    poll: `/v1/eval/gates/${id}`,
  }
}

function outcomeSoFar({ results, rowCount, registration, alpha }: GateState & Partial<FoundGate>): JsonObject | null {
  if (results === undefined || results === null || results.length === 0) return null
  return sequentialOutcome(results, rowCount, sequentialPlanOf(registration, alpha))
}
