import { CHECKPOINT_EVERY } from '../../../../core/ledger/chain/checkpoint.ts'
import type { ChainHead } from '../../../../core/ledger/chain/ledger.ts'
import type { Database, SqlRunner } from '../../../kernel/database.ts'
import { inTransaction } from '../../../kernel/transaction.ts'
import { auditKeys } from '../audit-key.ts'
import { addCheckpoint } from '../add-checkpoint.ts'
import { insertChained } from './insert-chained.ts'
import { takeWaiting } from './wait-for-chain.ts'

/** Entries that are chained in one transaction. */
const BATCH = 500

/**
 * Gives every waiting entry of a tenant its place in the tenant's chain, in groups: one lock, one insert and one commit
 * for as many as wait. Entries that are committed meanwhile may be left to the next call. Processes that do it at once
 * take turns, and one that dies leaves its group waiting.
 */
export async function chainWaiting(db: Database, tenantId: string, now: () => Date): Promise<void> {
  for (;;) {
    const group = await inTransaction(db, tenantId, async (tx) => await chainGroup(tx, db, tenantId))
    if (group === null) return
    // Signed outside of the transaction, so that the head is not held for it; what is lost here the schedule makes up.
    if (isCheckpointDue(group)) await addCheckpoint(db, { tenantId, head: group.to, now: now() })
    if (group.to.seq - group.from.seq < BATCH) return
  }
}

interface Group {
  readonly from: ChainHead
  readonly to: ChainHead
}

function isCheckpointDue({ from, to }: Group): boolean {
  return Math.floor(from.seq / CHECKPOINT_EVERY) < Math.floor(to.seq / CHECKPOINT_EVERY)
}

async function chainGroup(sql: SqlRunner, db: Database, tenantId: string): Promise<Group | null> {
  // The lock of the head orders the groups of a tenant, in all processes.
  const [from] = await sql.query<ChainHead>(
    `select seq, hash as event_hash from audit_heads
     where tenant_id = $1 and exists (select 1 from audit_pending where tenant_id = $1) for no key update`,
    [tenantId],
  )
  if (from === undefined) {
    await assertHead(sql, tenantId)
    return null
  }
  const taken = await takeWaiting(sql, db, { tenantId, limit: BATCH })
  if (taken.length === 0) return null
  const to = await insertChained(sql, await auditKeys(db, sql), { tenantId, from, entries: taken })
  return { from, to }
}

async function assertHead(sql: SqlRunner, tenantId: string): Promise<void> {
  const [head] = await sql.query('select 1 from audit_heads where tenant_id = $1', [tenantId])
  if (head === undefined) throw new Error(`tenant ${tenantId} has no audit head`)
}
