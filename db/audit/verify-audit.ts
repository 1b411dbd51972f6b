import { verifyChain, type ChainVerification, type LedgerFields } from '../../core/evidence/ledger/ledger.ts'
import type { JsonObject } from '../../core/json.ts'
import type { SqlRunner } from '../database.ts'
import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'
import { auditKeys } from './audit-key.ts'

const BATCH = 1000

/**
 * Checks the tenant's whole audit ledger, batch by batch, against its keys and its head. Entries that are written
 * meanwhile do not disturb it.
 */
export async function verifyAudit(op: Operation): Promise<ChainVerification> {
  return await inTransaction(op.db, op.tenantId, async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    const { all } = await auditKeys(op.db, tx)
    const [head] = await tx.query<{ seq: number; event_hash: string }>(
      'select seq, hash as event_hash from audit_heads where tenant_id = $1',
      [op.tenantId],
    )
    return await verifyChain(readEntries(tx, op.tenantId), {
      findSecret: (keyId) => {
        const key = all.get(keyId)
        return key === undefined ? { state: 'unknown' } : { state: 'live', secret: key.secret }
      },
      ...(head === undefined ? {} : { head }),
    })
  })
}

interface EntryRow {
  readonly id: string
  readonly seq: number
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly requestId: string
  readonly payload: JsonObject
  readonly keyId: string
  readonly prevHash: string
  readonly hash: string
}

async function* readEntries(sql: SqlRunner, tenantId: string): AsyncIterable<LedgerFields> {
  for (let after = 0; ;) {
    const rows = await sql.query<EntryRow>(
      `select id, seq, at, actor, action, target, request_id as "requestId", payload, key_id as "keyId",
         prev_hash as "prevHash", hash
       from audit_entries where tenant_id = $1 and seq > $2 order by seq limit $3`,
      [tenantId, after, BATCH],
    )
    for (const row of rows) yield columnsOf(tenantId, row)
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    after = last.seq
  }
}

/** The columns of an entry under the names that its MAC covers. */
function columnsOf(tenantId: string, row: EntryRow): LedgerFields {
  return {
    id: row.id,
    tenant_id: tenantId,
    at: row.at.toISOString(),
    actor: row.actor,
    action: row.action,
    target: row.target,
    request_id: row.requestId,
    payload: row.payload,
    seq: row.seq,
    chain_version: 1,
    key_id: row.keyId,
    prev_hash: row.prevHash,
    event_hash: row.hash,
  }
}
