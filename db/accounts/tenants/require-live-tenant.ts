import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Transaction } from '../../kernel/transaction.ts'

const lockLive = prepared((q, { tenantId }: { readonly tenantId: string }) =>
  q.selectFrom('tenants').select('id').where('id', '=', tenantId).where('deleted_at', 'is', null).forShare(),
)

/**
 * Locks a tenant until the transaction ends, and refuses a deleted one: a call admitted just before its account was
 * deleted, or its workspace merged, must not leave work behind that is never cleaned up. Of the two, the later one sees
 * the earlier. Taken before any other lock. Throws `invalid_credential`.
 */
export async function requireLiveTenant(tx: Transaction, tenantId: string): Promise<void> {
  const [live] = await tx.send(lockLive({ tenantId }))
  if (live === undefined) throw KERNEL_ERRORS.invalid_credential('this account was deleted')
}
