import { systemOperation } from '../../../kernel/operation.ts'
import type { Database, SqlRunner } from '../../../kernel/database.ts'
import { inTransaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../record-audit.ts'
import { cutoffRows, cutoffValues, keptPlanOf, type Cutoff } from './retention.ts'

/** Most entries that one transaction removes. */
const BATCH = 20_000

/**
 * Removes the entries of a tenant's ledger whose time is over, up to a signed checkpoint, so that the rest still proves
 * itself: the check of the chain begins behind the checkpoint. An entry stays for the days of the plan that it was
 * written under, or of the one in force when these are more: a smaller plan takes nothing away that was written before
 * it. The ledger itself tells that it was done. Answers how many were removed; repeating it removes what has become due
 * meanwhile.
 */
export async function pruneAudit(
  db: Database,
  input: {
    readonly tenantId: string
    readonly cutoffs: readonly Cutoff[]
    readonly requestId: string
    readonly now: () => Date
  },
): Promise<number> {
  const { tenantId } = input
  const op = systemOperation(db, { ...input, name: 'ledger' })
  return await inTransaction(db, tenantId, async (tx) => {
    // Nobody chains or prunes beside it.
    await tx.query('select 1 from audit_heads where tenant_id = $1 for no key update', [tenantId])
    const point = await findDue(tx, tenantId, input.cutoffs)
    if (point === undefined) return 0
    const [removed] = await tx.query<{ entries: number }>(
      `with removed as (delete from audit_entries where tenant_id = $1 and seq <= $2 returning 1)
       select count(*) as entries from removed`,
      [tenantId, point.seq],
    )
    const entries = removed?.entries ?? 0
    await tx.query('delete from audit_checkpoints where tenant_id = $1 and seq < $2', [tenantId, point.seq])
    await tx.query('update audit_checkpoints set pruned_through_at = $3 where tenant_id = $1 and seq = $2', [
      tenantId,
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

/**
 * The farthest checkpoint within reach up to which everything may go, otherwise the next one. The plan may have changed
 * between two checkpoints: what lies between them is kept for the longer of both.
 */
async function findDue(
  sql: SqlRunner,
  tenantId: string,
  cutoffs: readonly Cutoff[],
): Promise<{ readonly id: string; readonly seq: number } | undefined> {
  const [point] = await sql.query<{ id: string; seq: number }>(
    `with cutoffs as (select * from ${cutoffRows(2)}),
     points as (
       select c.id, c.seq, c.pruned_through_at is not null as is_pruned,
         c.at < least(own.before, held.before, lag(own.before) over (order by c.seq)) as is_over
       from audit_checkpoints c
       join tenants t on t.id = c.tenant_id
       join cutoffs own on own.plan = c.plan
       join cutoffs held on held.plan = ${keptPlanOf('t')}
       where c.tenant_id = $1),
     due as (
       select id, seq from (
         select id, seq, is_pruned, bool_and(is_pruned or is_over) over (order by seq) as is_due from points) each
       where is_due and not is_pruned),
     reach as (select min(seq) + $4 as seq from audit_entries where tenant_id = $1)
     select id, seq from due
     order by seq <= (select seq from reach) desc, abs(seq - (select seq from reach)) limit 1`,
    [tenantId, ...cutoffValues(cutoffs), BATCH],
  )
  return point
}
