import { sql } from 'kysely'
import type { ErrorCode } from '../../../core/learn/errors.ts'
import type { JsonObject, Sha256 } from '../../../core/kernel/json/json.ts'
import type { GateDecision } from '../../../core/learn/gate/states.ts'
import type { GateReceipt } from '../../../core/ledger/receipts/gate-receipt.ts'
import type { Operation } from '../../kernel/operation.ts'
import { json, notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Gate } from './gate.ts'

/** A gate for the one who scores it. */
export type RunningGate = Pick<
  Gate,
  'mode' | 'candidateId' | 'baselineId' | 'holdoutId' | 'rowCount' | 'alpha' | 'level' | 'registration' | 'results'
> & { readonly registrationHash: Sha256; readonly blobSha256: Sha256 | null }

/** Records that scoring has begun. Returns null when the gate is over: then no work is left. */
export async function beginGate(op: Operation, gateId: string): Promise<RunningGate | null> {
  return await op.write(async (tx) => {
    const [gate] = await tx.q
      .updateTable('gates')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(op.now())) }))
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning([
        'mode',
        'candidate_id as candidateId',
        'baseline_id as baselineId',
        'holdout_id as holdoutId',
        'row_count as rowCount',
        'alpha',
        'level',
        'registration',
        'results',
        sql<Sha256>`registration_hash`.as('registrationHash'),
        sql<Sha256 | null>`blob_sha256`.as('blobSha256'),
      ])
      .execute()
    return gate ?? null
  })
}

/** Records the results so far, so that another attempt continues after them. */
export async function recordResults(op: Operation, gateId: string, results: Uint8Array): Promise<void> {
  await op.write(async (tx) => {
    await tx.q
      .updateTable('gates')
      .set({ results: Buffer.from(results) })
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .execute()
  })
}

/** The end of a gate that was scored. */
export interface DecidedGate {
  readonly decision: GateDecision
  readonly outcome: JsonObject | null
  readonly receipt: GateReceipt
}

/** Ends a gate with its decision, once; results of rows go. A no-op for one that is over. */
export async function decideGate(op: Operation, gateId: string, decided: DecidedGate): Promise<void> {
  const { decision, outcome, receipt } = decided
  await endGate(op, gateId, async (tx) => {
    const ended = await tx.q
      .updateTable('gates')
      .set({
        state: 'succeeded',
        decision,
        outcome: outcome === null ? null : json(outcome),
        receipt: json<JsonObject>({ ...receipt }),
        results: null,
        blob_sha256: null,
        finished_at: op.now(),
      })
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    if (ended.length === 0) return false
    await recordAudit(tx, op, {
      action: 'gate.decided',
      target: gateId,
      payload: { gate_id: gateId, decision, registration_hash: receipt.registration_hash, attempt: receipt.attempt },
    })
    return true
  })
}

/** Ends a gate that could not be scored. A no-op for one that is over. */
export async function failGate(op: Operation, gateId: string, errorCode: ErrorCode): Promise<void> {
  await endGate(op, gateId, async (tx) => {
    const ended = await tx.q
      .updateTable('gates')
      .set({ state: 'failed', error_code: errorCode, results: null, blob_sha256: null, finished_at: op.now() })
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    if (ended.length === 0) return false
    await recordAudit(tx, op, {
      action: 'gate.failed',
      target: gateId,
      payload: { gate_id: gateId, error_code: errorCode },
    })
    return true
  })
}

/** The rows of a gate are due for collection with its end. */
async function endGate(op: Operation, gateId: string, end: (tx: Transaction) => Promise<boolean>): Promise<void> {
  await op.write(async (tx) => {
    const [gate] = await tx.q
      .selectFrom('gates')
      .select('blob_sha256 as blob')
      .where('id', '=', gateId)
      .where('tenant_id', '=', op.tenantId)
      .forUpdate()
      .execute()
    if (!(await end(tx))) return
    if (gate?.blob) {
      await tx.q
        .updateTable('blobs')
        .set({ review_at: sql<Date>`now()` })
        .where(sql<boolean>`sha256 = ${gate.blob}`)
        .execute()
    }
    await tx.q.selectNoFrom(notify('svc_jobs', gateId).as('notified')).execute()
  })
}
