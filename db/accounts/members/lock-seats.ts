import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Locks the members of a tenant until the transaction ends, so that only one transaction at a time counts seats or
 * owners and then changes them.
 */
export async function lockSeats(tx: Transaction, tenantId: string): Promise<void> {
  await lockInTransaction(tx, `seats ${tenantId}`)
}
