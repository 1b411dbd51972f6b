import { GENESIS, type ChainHead } from '../../../core/ledger/chain/ledger.ts'
import { newId } from '../../../core/kernel/ids.ts'
import { auditKeys } from '../../../db/ledger/audit/audit-key.ts'
import { insertChained } from '../../../db/ledger/audit/chain/insert-chained.ts'
import { settleLedger } from '../../../db/ledger/audit/chain/settle.ts'
import { verifyAudit } from '../../../db/ledger/audit/verify-audit.ts'
import type { WaitingEntry } from '../../../db/ledger/audit/chain/wait-for-chain.ts'
import { commitWaiting } from '../../support/db/ledger-lines.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { sendSql } from '../../support/db/send-sql.ts'

/** A line before it has its place in the chain. */
export function waitingEntry(op: Operation, given: Partial<WaitingEntry> = {}): WaitingEntry {
  return {
    id: newId('aud'),
    tenantId: op.tenantId,
    at: op.now(),
    actor: 'system:test',
    action: 'artifact.downloaded',
    target: null,
    requestId: op.requestId,
    payload: {},
    ...given,
  }
}

/** Writes lines one by one, as verbs do, and chains them. */
export async function givenLines(op: Operation, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await commitWaiting(op.db, waitingEntry(op, { payload: { i } }))
  await settleLedger(op.db, op)
}

/** Puts many lines right into the chain. */
export async function givenChained(op: Operation, count: number): Promise<void> {
  await op.write(async (tx) => {
    const [from] = await sendSql<ChainHead>(
      tx,
      'select seq, hash as event_hash from audit_heads where tenant_id = $1 for no key update',
      [op.tenantId],
    )
    const entries = Array.from({ length: count }, (_, i) => ({
      ...waitingEntry(op, { payload: { i } }),
      isUnchanged: true,
    }))
    const keys = await auditKeys(op.db, tx)
    insertChained(tx, keys, { tenantId: op.tenantId, from: from ?? GENESIS, entries })
  })
}

/** Why the check of a ledger finds it broken. */
export async function reasonsOf(op: Operation): Promise<readonly string[]> {
  return (await verifyAudit(op)).breaks.map(({ reason }) => reason)
}
