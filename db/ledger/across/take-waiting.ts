import { newId } from '../../../core/kernel/ids.ts'
import type { Database } from '../../kernel/database.ts'
import { compiled } from '../../kernel/queries/compiled.ts'
import type { ServiceTransaction } from '../../kernel/queries/service.ts'
import { auditKeys, readAuditKeys } from '../audit/audit-key.ts'
import { entryOf, WAITING_COLUMNS, type TakenEntry } from '../audit/chain/wait-for-chain.ts'

const deleteOldest = compiled((q, { tenantId, limit }: { readonly tenantId: string; readonly limit: number }) =>
  q
    .with('taken', (of) =>
      of
        .deleteFrom('audit_pending')
        .where('id', 'in', (oldest) =>
          oldest
            .selectFrom('audit_pending')
            .select('id')
            .where('tenant_id', '=', tenantId)
            .orderBy('position')
            .limit(limit),
        )
        .returningAll(),
    )
    .selectFrom('taken')
    .select(WAITING_COLUMNS)
    .select((of) =>
      of
        .exists(of.selectFrom('audit_entries').select('id').whereRef('audit_entries.id', '=', 'taken.id'))
        .as('isIdTaken'),
    )
    .orderBy('position'),
)

/**
 * Removes the oldest waiting entries of a tenant from their table and returns them, at most `limit`. The caller holds the
 * lock of the tenant's head, which keeps other processes from taking the next entries first. Ids are unique over all
 * ledgers, so each id is compared with those of every tenant.
 */
export async function takeWaiting(
  tx: ServiceTransaction,
  db: Database,
  input: { readonly tenantId: string; readonly limit: number },
): Promise<readonly TakenEntry[]> {
  const rows = await tx.send(deleteOldest(input))
  let keys = await auditKeys(db, tx)
  if (rows.some(({ keyId }) => !keys.all.has(keyId))) keys = await readAuditKeys(db, tx)
  return rows.map(({ isIdTaken, ...row }) => {
    const entry = entryOf(row, input.tenantId, keys.all)
    // Another entry has its id: it was changed, and takes its place under a new one.
    return isIdTaken ? { ...entry, id: newId('aud'), isUnchanged: false } : entry
  })
}
