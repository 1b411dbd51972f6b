import { lockKeys } from '../keys/live-actor.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { lockSeats } from './lock-seats.ts'

/**
 * Locks the members of a tenant and then its keys until the transaction ends: every transaction takes them in this
 * order.
 */
export async function lockPeople(tx: Transaction, tenantId: string): Promise<void> {
  await lockSeats(tx, tenantId)
  await lockKeys(tx, tenantId)
}
