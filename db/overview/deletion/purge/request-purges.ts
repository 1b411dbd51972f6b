import type { Limits } from '../../../../core/kernel/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { inTransaction } from '../../../kernel/transaction.ts'
import { requestDeletion } from '../request-deletion.ts'
import { dueBefore, isDue } from './due.ts'

const BATCH = 100

/**
 * Asks for the workflow that removes the data of tenants whose days after the deletion are over; answers how many. Asking
 * again for one that is under way does no harm.
 */
export async function requestPurges(
  db: Database,
  input: { readonly limits: Limits; readonly now: Date },
): Promise<number> {
  const { limits, now } = input
  return await inTransaction(db, null, async (tx) => {
    const due = await tx.query<{ id: string }>(
      `select id from tenants t where purged_at is null and ${isDue('$1')} 
       order by deletion_look_at nulls first, deleted_at limit ${BATCH}`,
      [dueBefore(limits, now)],
    )
    for (const { id } of due) await requestDeletion(tx, { tenantId: id, now })
    return due.length
  })
}
