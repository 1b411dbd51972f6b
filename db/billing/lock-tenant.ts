import type { PlanId } from '../../core/kernel/tenant/plans.ts'
import { lockInTransaction, type Transaction } from '../kernel/transaction.ts'

/** The billing columns of a tenant's row. */
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
 * Locks a tenant's billing rows until the transaction ends, so that only one transaction at a time writes values
 * computed from all of them. Null for a missing tenant, or one without an account.
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
 * Locks a customer of the processor: of two concurrent events, one that names the customer's owner and one that looks
 * it up, the second sees the first's writes. Taken before the tenant.
 */
export async function lockCustomer(tx: Transaction, customerId: string): Promise<void> {
  await lockInTransaction(tx, `customer ${customerId}`)
}
