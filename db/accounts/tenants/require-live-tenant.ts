import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Locks a tenant until the transaction ends, and refuses a deleted one: a call admitted just before its account was
 * deleted, or its workspace merged, must not leave work behind that is never cleaned up. Of the two, the later one sees
 * the earlier. Taken before any other lock. Throws `invalid_credential`.
 */
export async function requireLiveTenant(tx: Transaction, tenantId: string): Promise<void> {
  const [live] = await tx.read((q) =>
    q.selectFrom('tenants').select('id').where('id', '=', tenantId).where('deleted_at', 'is', null).forShare(),
  )
  if (live === undefined) throw KERNEL_ERRORS.invalid_credential('this account was deleted')
}
