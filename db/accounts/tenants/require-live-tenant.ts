import { DomainError } from '../../../core/kernel/errors.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Holds a tenant as it is until the transaction ends, and refuses one that is no more: a call that was let in just before
 * its account was deleted, or its workspace merged, must leave no work behind where nobody looks for it. Of the two, the
 * one that comes first is seen by the other. Taken before any other lock. Throws `invalid_credential`.
 */
export async function requireLiveTenant(tx: Transaction, tenantId: string): Promise<void> {
  const live = await tx.query('select 1 from tenants where id = $1 and deleted_at is null for share', [tenantId])
  if (live.length === 0) throw new DomainError('invalid_credential', 'this account is no more')
}
