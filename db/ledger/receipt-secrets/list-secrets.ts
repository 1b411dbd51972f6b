import type { Operation } from '../../kernel/operation.ts'
import type { ReceiptSecret } from './receipt-secret.ts'

/** Number of listed tombstones; receipts that name an older one still get the answer that it is gone. */
const LISTED_TOMBSTONES = 100

const COLUMNS = [
  'id',
  'tenant_id as tenantId',
  'state',
  'sealed_secret as sealedSecret',
  'created_at as createdAt',
  'retired_at as retiredAt',
  'pruned_at as prunedAt',
] as const

/** Lists the tenant's ring, newest first, and the latest tombstones. The secrets themselves are sealed. */
export async function listReceiptSecrets(
  op: Operation,
): Promise<{ readonly live: readonly ReceiptSecret[]; readonly pruned: readonly ReceiptSecret[] }> {
  const [live, pruned] = await op.read((q) => {
    const secrets = q.selectFrom('receipt_secrets').select(COLUMNS).where('tenant_id', '=', op.tenantId)
    return [
      secrets.where('state', '!=', 'pruned').orderBy('created_at', 'desc').orderBy('id', 'desc'),
      secrets.where('state', '=', 'pruned').orderBy('pruned_at', 'desc').orderBy('id', 'desc').limit(LISTED_TOMBSTONES),
    ]
  })
  return { live, pruned }
}
