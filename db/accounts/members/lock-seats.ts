import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Holds the members of a tenant until the transaction ends: whoever counts seats or owners and then changes them,
 * counts alone.
 */
export async function lockSeats(tx: Transaction, tenantId: string): Promise<void> {
  await lockInTransaction(tx, `seats ${tenantId}`)
}
