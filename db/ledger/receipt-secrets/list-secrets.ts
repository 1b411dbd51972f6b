import type { Operation } from '../../kernel/operation.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ReceiptSecretEntity, type ReceiptSecret } from './receipt-secret.ts'

/** Tombstones that are listed; that an older one is gone is still said of each receipt that names it. */
const LISTED_TOMBSTONES = 100

/** The tenant's ring, newest first, and the latest tombstones. The secrets themselves are sealed. */
export async function listReceiptSecrets(
  op: Operation,
): Promise<{ readonly live: readonly ReceiptSecret[]; readonly pruned: readonly ReceiptSecret[] }> {
  const em = forkForTenant(op.db, op.tenantId)
  const newestFirst = { createdAt: 'desc', id: 'desc' } as const
  const live = await em.find(ReceiptSecretEntity, { state: { $ne: 'pruned' } }, { orderBy: newestFirst })
  const pruned = await em.find(
    ReceiptSecretEntity,
    { state: 'pruned' },
    { orderBy: { prunedAt: 'desc', id: 'desc' }, limit: LISTED_TOMBSTONES },
  )
  return { live, pruned }
}
