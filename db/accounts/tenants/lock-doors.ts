import { lockPeople } from '../members/lock-people.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Locks every way into a tenant until the transaction ends: a concurrent entry is either complete and found here, or
 * waits and sees the result. Taken after the tenant's row.
 */
export async function lockDoors(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q.selectFrom('sso_configs').select('tenant_id').where('tenant_id', '=', tenantId).forNoKeyUpdate().execute()
  await lockPeople(tx, tenantId)
}
