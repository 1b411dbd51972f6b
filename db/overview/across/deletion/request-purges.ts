import type { Limits } from '../../../../core/overview/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'
import { sweepInBatches } from '../../../kernel/tables/sweep-in-batches.ts'
import { requestDeletion } from '../../deletion/request-deletion.ts'
import { dueBefore, isDue } from '../../deletion/purge/due.ts'

/** Tenants whose workflow one transaction requests. */
const BATCH = 100

/**
 * Requests the workflow that removes the data of deleted tenants whose grace period is over; returns how many. Tenants
 * whose workflow is under way are left to it and to the reconciler.
 */
export async function requestPurges(
  db: Database,
  input: { readonly limits: Limits; readonly now: Date },
  signal?: AbortSignal,
): Promise<number> {
  return await sweepInBatches(signal, async (most) => await requestSome(db, input, most), BATCH)
}

async function requestSome(
  db: Database,
  { limits, now }: { readonly limits: Limits; readonly now: Date },
  most: number,
): Promise<readonly unknown[]> {
  return await service.write(db, 'finds the deleted tenants whose data is due for removal', async (tx) => {
    const due = await tx.q
      .selectFrom('tenants as t')
      .select('t.id')
      .where('t.purged_at', 'is', null)
      .where('t.deletion_look_at', 'is', null)
      .where(isDue(dueBefore(limits, now)))
      .orderBy('t.deleted_at')
      .limit(most)
      .execute()
    for (const { id } of due) {
      await service.forTenant(tx, id, async () => {
        await requestDeletion(tx, { tenantId: id, now })
      })
    }
    return due
  })
}
