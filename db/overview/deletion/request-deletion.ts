import type { Transaction } from '../../kernel/transaction.ts'
import { Deletion } from '../../../core/overview/workflows.ts'
import { LOOK_GRACE_MS } from '../../kernel/outbox/claim-rows.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'

/**
 * Asks for the workflow that clears up after a deleted tenant. Until it has done so, the reconciler starts it again
 * whenever its run is gone.
 */
export async function requestDeletion(
  tx: Transaction,
  { tenantId, now }: { readonly tenantId: string; readonly now: Date },
): Promise<void> {
  await tx.em.flush()
  await tx.query('update tenants set deletion_look_at = $2 where id = $1', [
    tenantId,
    new Date(now.getTime() + LOOK_GRACE_MS),
  ])
  await requestStart(tx, Deletion, { tenantId })
}
