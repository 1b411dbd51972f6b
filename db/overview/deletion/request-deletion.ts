import type { Transaction } from '../../kernel/transaction.ts'
import { Deletion } from '../../../core/overview/workflows.ts'
import { LOOK_GRACE_MS } from '../../kernel/outbox/claim-rows.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'

/**
 * Requests the workflow that cleans up after a deleted tenant. Until it is done, the reconciler restarts it whenever
 * its run is gone.
 */
export async function requestDeletion(
  tx: Transaction,
  { tenantId, now }: { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  await tx.em.flush()
  await tx.q
    .updateTable('tenants')
    .set({ deletion_look_at: new Date(now.getTime() + LOOK_GRACE_MS) })
    .where('id', '=', tenantId)
    .execute()
  await requestStart(tx, Deletion, { tenantId })
}
