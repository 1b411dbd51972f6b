import { lockPeople } from '../members/lock-people.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Holds every way into a tenant until the transaction ends: whoever comes in meanwhile has come in before, and is found,
 * or finds the doors as they are afterwards. Taken after the tenant's row.
 */
export async function lockDoors(tx: Transaction, tenantId: string): Promise<void> {
  await tx.query('select 1 from sso_configs where tenant_id = $1 for no key update', [tenantId])
  await lockPeople(tx, tenantId)
}
