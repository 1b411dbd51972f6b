import type { Operation } from '../operation.ts'
import { forkForTenant } from '../tenant-filter.ts'
import { ReceiptSecretEntity, type ReceiptSecret } from './receipt-secret.ts'

/** The tenant's ring, newest first, tombstones among them. The secrets themselves are sealed. */
export async function listReceiptSecrets(op: Operation): Promise<readonly ReceiptSecret[]> {
  return await forkForTenant(op.db, op.tenantId).find(ReceiptSecretEntity, {}, { orderBy: { createdAt: 'desc' } })
}
