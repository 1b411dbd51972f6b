import type { DecidedEvaluations, EvaluationGate } from '../../../core/learn/gate/evaluations.ts'
import type { GateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import { requireLiveTenant } from '../../accounts/tenants/require-live-tenant.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json } from '../../kernel/queries/typed.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'

/** A gate on evaluations with its decision and its receipt. */
export interface RecordedEvaluationGate extends Pick<EvaluationGate, 'gateId' | 'candidate' | 'baseline' | 'alpha'> {
  readonly decided: DecidedEvaluations
  readonly receipt: GateReceipt
  readonly namespace: string | null
  readonly decidedAt: Date
}

/** Records a gate on evaluations, which is decided as it is made. */
export async function recordEvaluationGate(op: Operation, gate: RecordedEvaluationGate): Promise<void> {
  const { gateId, decided, receipt, decidedAt } = gate
  const { decision, registration, outcome } = decided
  await op.write(async (tx) => {
    await requireLiveTenant(tx, op.tenantId)
    await tx.q
      .insertInto('gates')
      .values({
        id: gateId,
        tenant_id: op.tenantId,
        namespace: gate.namespace,
        mode: 'evaluations',
        state: 'succeeded',
        decision,
        candidate_id: gate.candidate.evaluationId,
        baseline_id: gate.baseline.evaluationId,
        row_count: receipt.rows,
        alpha: gate.alpha,
        level: gate.alpha,
        registration: json(registration),
        registration_hash: receipt.registration_hash,
        outcome: json(outcome),
        receipt: json<JsonObject>({ ...receipt }),
        created_at: decidedAt,
        started_at: decidedAt,
        finished_at: decidedAt,
      })
      .execute()
    await recordAudit(tx, op, {
      action: 'gate.decided',
      target: gateId,
      payload: { gate_id: gateId, decision, registration_hash: receipt.registration_hash, attempt: null, registration },
    })
  })
}
