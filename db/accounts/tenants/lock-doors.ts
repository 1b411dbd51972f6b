import { lockPeople } from '../members/lock-people.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Holds every way into a tenant until the transaction ends: whoever comes in meanwhile has come in before, and is found,
 * or finds the doors as they are afterwards. Taken after the tenant's row.
 */
export async function lockDoors(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q.selectFrom('sso_configs').select('tenant_id').where('tenant_id', '=', tenantId).forNoKeyUpdate().execute()
  await lockPeople(tx, tenantId)
}
