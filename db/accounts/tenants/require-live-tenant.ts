import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Holds a tenant as it is until the transaction ends, and refuses one that is no more: a call that was let in just before
 * its account was deleted, or its workspace merged, must leave no work behind where nobody looks for it. Of the two, the
 * one that comes first is seen by the other. Taken before any other lock. Throws `invalid_credential`.
 */
export async function requireLiveTenant(tx: Transaction, tenantId: string): Promise<void> {
  const [live] = await tx.read((q) =>
    q.selectFrom('tenants').select('id').where('id', '=', tenantId).where('deleted_at', 'is', null).forShare(),
  )
  if (live === undefined) throw KERNEL_ERRORS.invalid_credential('this account is no more')
}
