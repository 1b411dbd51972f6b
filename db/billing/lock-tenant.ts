import type { PlanId } from '../../core/kernel/tenant/plans.ts'
import { lockInTransaction, type Transaction } from '../kernel/transaction.ts'

/** What billing looks at in a tenant's row. */
export interface BilledTenant {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
  readonly pendingPlan: PlanId | null
  readonly grantedPlan: PlanId | null
  readonly email: string | null
  readonly deletedAt: Date | null
}

/**
 * Holds a tenant's billing rows until the transaction ends, so that what is computed from all of them is written by one
 * at a time. Null for a tenant that is not there, or is nobody's account.
 */
export async function lockBilling(tx: Transaction, tenantId: string): Promise<BilledTenant | null> {
  const tenant = await tx.q
    .selectFrom('tenants')
    .select([
      'id',
      'name',
      'plan',
      'pending_plan as pendingPlan',
      'granted_plan as grantedPlan',
      'email',
      'deleted_at as deletedAt',
    ])
    .where('id', '=', tenantId)
    .where('kind', '=', 'user')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return tenant ?? null
}

/**
 * Holds a customer of the processor: of two events at the same time, one that says whose customer it is and one that
 * asks, the second sees what the first wrote. Taken before the tenant.
 */
export async function lockCustomer(tx: Transaction, customerId: string): Promise<void> {
  await lockInTransaction(tx, `customer ${customerId}`)
}
