import { systemOperation } from '../operation.ts'
import type { Database } from '../database.ts'
import { inTransaction } from '../transaction.ts'
import { recordAudit } from './record-audit.ts'

/** Most entries that one transaction removes. */
const BATCH = 20_000

/**
 * Removes the entries of a tenant's ledger whose time is over, up to a signed checkpoint, so that the rest still proves
 * itself: the check of the chain begins behind the checkpoint. The ledger itself tells that it was done. Answers how
 * many were removed; repeating it removes what has become due meanwhile.
 */
export async function pruneAudit(
  db: Database,
  input: { readonly tenantId: string; readonly before: Date; readonly requestId: string; readonly now: () => Date },
): Promise<number> {
  const op = systemOperation(db, { ...input, name: 'ledger' })
  return await inTransaction(db, input.tenantId, async (tx) => {
    // Nobody chains or prunes beside it.
    await tx.query('select 1 from audit_heads where tenant_id = $1 for no key update', [input.tenantId])
    const [point] = await tx.query<{ id: string; seq: number }>(
      `with due as (
         select id, seq from audit_checkpoints
         where tenant_id = $1 and at < $2 and pruned_through_at is null
           and seq > (select coalesce(max(seq), 0) from audit_checkpoints
                      where tenant_id = $1 and pruned_through_at is not null)),
       reach as (select min(seq) + $3 as seq from audit_entries where tenant_id = $1)
       -- The farthest one within reach, otherwise the next one.
       select id, seq from due
       order by seq <= (select seq from reach) desc, abs(seq - (select seq from reach)) limit 1`,
      [input.tenantId, input.before, BATCH],
    )
    if (point === undefined) return 0
    const [removed] = await tx.query<{ entries: number }>(
      `with removed as (delete from audit_entries where tenant_id = $1 and seq <= $2 returning 1)
       select count(*) as entries from removed`,
      [input.tenantId, point.seq],
    )
    const entries = removed?.entries ?? 0
    await tx.query('delete from audit_checkpoints where tenant_id = $1 and seq < $2', [input.tenantId, point.seq])
    await tx.query('update audit_checkpoints set pruned_through_at = $3 where tenant_id = $1 and seq = $2', [
      input.tenantId,
      point.seq,
      input.now(),
    ])
    await recordAudit(tx, op, {
      action: 'audit.pruned',
      target: point.id,
      payload: { through_seq: point.seq, entries },
    })
    return entries
  })
}
