import type { Limits } from '../../../../core/overview/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { requestDeletion } from '../../deletion/request-deletion.ts'
import { dueBefore, isDue } from '../../deletion/purge/due.ts'

const BATCH = 100

/**
 * Requests the workflow that removes the data of deleted tenants whose grace period is over; returns how many. A second
 * request while it runs is harmless.
 */
export async function requestPurges(
  db: Database,
  input: { readonly limits: Limits; readonly now: Date },
): Promise<number> {
  const { limits, now } = input
  return await service.write(db, 'finds the deleted tenants whose data is due for removal', async (tx) => {
    const due = await tx.q
      .selectFrom('tenants as t')
      .select('t.id')
      .where('t.purged_at', 'is', null)
      .where(isDue(dueBefore(limits, now)))
      .orderBy('t.deletion_look_at', (order) => order.asc().nullsFirst())
      .orderBy('t.deleted_at')
      .limit(BATCH)
      .execute()
    for (const { id } of due) {
      await service.forTenant(tx, id, async () => {
        await requestDeletion(tx, { tenantId: id, now })
      })
    }
    return due.length
  })
}
