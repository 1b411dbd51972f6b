import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Locks an e-mail address until the transaction ends. Taken before an address is looked up or given to a tenant: two
 * concurrent sign-ups would otherwise both find it free, since only verified addresses are unique in the table.
 */
export async function lockEmail(tx: Transaction, email: string): Promise<void> {
  await lockInTransaction(tx, `email ${email}`)
}
