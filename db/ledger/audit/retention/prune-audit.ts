import { sql } from 'kysely'
import { systemOperation } from '../../../kernel/operation.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recordAudit } from '../record-audit.ts'
import { cutoffTable, keptPlanOf, type Cutoff } from './retention.ts'

/** Most entries that one transaction removes. */
const BATCH = 20_000

/**
 * Removes expired entries of a tenant's ledger, up to a signed checkpoint, so that the rest stays provable: the check
 * of the chain begins behind the checkpoint. An entry stays for the days of the plan that it was written under, or of
 * the plan in force when these are more: a smaller plan removes no entry written before it. The ledger itself records
 * the removal. Returns how many were removed; a repeated call removes entries that expired meanwhile.
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
  return await op.write(async (tx) => {
    // No other transaction chains or prunes meanwhile.
    await tx.q.selectFrom('audit_heads').select('seq').where('tenant_id', '=', tenantId).forNoKeyUpdate().execute()
    const point = await findDue(tx, tenantId, input.cutoffs)
    if (point === undefined) return 0
    const ofTenant = { tenant_id: tenantId, seq: point.seq }
    const removed = await tx.q
      .deleteFrom('audit_entries')
      .where('tenant_id', '=', tenantId)
      .where('seq', '<=', point.seq)
      .executeTakeFirst()
    const entries = Number(removed.numDeletedRows)
    await tx.q.deleteFrom('audit_checkpoints').where('tenant_id', '=', tenantId).where('seq', '<', point.seq).execute()
    await tx.q
      .updateTable('audit_checkpoints')
      .set({ pruned_through_at: input.now() })
      .where((of) => of.and(ofTenant))
      .execute()
    await recordAudit(tx, op, {
      action: 'audit.pruned',
      target: point.id,
      payload: { through_seq: point.seq, entries },
    })
    return entries
  })
}

/**
 * Returns the farthest checkpoint within reach up to which all entries may be removed, otherwise the next one. The plan
 * may have changed between two checkpoints: entries between them have the longer retention of both.
 */
async function findDue(
  tx: Transaction,
  tenantId: string,
  cutoffs: readonly Cutoff[],
): Promise<{ readonly id: string; readonly seq: number } | undefined> {
  return await tx.q
    .with('cutoffs', (q) => q.selectFrom(cutoffTable(cutoffs)).select(['plan', 'before']))
    .with('points', (q) =>
      q
        .selectFrom('audit_checkpoints as c')
        .innerJoin('tenants as t', 't.id', 'c.tenant_id')
        .innerJoin('cutoffs as own', 'own.plan', 'c.plan')
        .innerJoin('cutoffs as held', (join) => join.on('held.plan', '=', keptPlanOf('t')))
        .select([
          'c.id',
          'c.seq',
          sql<boolean>`c.pruned_through_at is not null`.as('is_pruned'),
          sql<boolean>`c.at < least(own.before, held.before, lag(own.before) over (order by c.seq))`.as('is_over'),
        ])
        .where('c.tenant_id', '=', tenantId),
    )
    .with('due', (q) =>
      q
        .selectFrom((each) =>
          each
            .selectFrom('points')
            .select([
              'id',
              'seq',
              'is_pruned',
              sql<boolean>`bool_and(is_pruned or is_over) over (order by seq)`.as('is_due'),
            ])
            .as('each'),
        )
        .select(['id', 'seq'])
        .where('is_due', '=', true)
        .where('is_pruned', '=', false),
    )
    .with('reach', (q) =>
      q
        .selectFrom('audit_entries')
        .select(sql<number>`min(seq) + ${sql.lit(BATCH)}`.as('seq'))
        .where('tenant_id', '=', tenantId),
    )
    .selectFrom('due')
    .select(['id', 'seq'])
    .orderBy((of) => sql`due.seq <= ${of.selectFrom('reach').select('reach.seq')}`, 'desc')
    .orderBy((of) => sql`abs(due.seq - ${of.selectFrom('reach').select('reach.seq')})`)
    .limit(1)
    .executeTakeFirst()
}
