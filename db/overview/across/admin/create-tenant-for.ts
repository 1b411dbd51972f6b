import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import type { PlanId } from '../../../../core/kernel/tenant/plans.ts'
import { mintKey } from '../../../accounts/keys/key-text.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { createTenant } from '../../../accounts/across/sign-up/create-tenant.ts'
import { lockEmail } from '../../../accounts/tenants/lock-email.ts'
import { slugOf } from '../../../accounts/tenants/tenant-name.ts'
import { lockInTransaction } from '../../../kernel/transaction.ts'

/** A tenant to create for the operator. */
export interface TenantOrder {
  readonly name: string
  /** Lower-case; absent for a tenant without sign-in by mail. */
  readonly email?: string | undefined
  /** Overrides the plan's units per month. */
  readonly quota: number | null
}

/** The tenant, and its key, which is shown only here. */
export interface OrderedTenant {
  readonly id: string
  readonly name: string
  readonly email: string | null
  readonly plan: PlanId
  readonly createdAt: Date
  readonly apiKey: string
}

/**
 * Makes a tenant with exactly this name, an owner, a primary key and its own quota. Throws `duplicate` when the name or
 * the address is taken: the existing tenant is neither changed nor shown.
 */
export async function createTenantFor(op: Operation, order: TenantOrder): Promise<OrderedTenant> {
  const minted = await mintKey(op.db.hashSlots, 'ks')
  const name = slugOf(order.name, order.email ?? 'tenant')
  return await service.write(op.db, 'names and addresses are unique over all tenants', async (tx) => {
    await lockInTransaction(tx, `tenant name ${name}`)
    if (order.email !== undefined) await lockEmail(tx, order.email)
    const email = order.email ?? null
    const taken = await tx.q
      .selectFrom('tenants')
      .select(['name', 'email'])
      .where((of) => of.or([of('name', '=', name), of.and([of('email', '=', email), of('deleted_at', 'is', null)])]))
      .execute()
    if (taken.length > 0) {
      const field = taken.some((tenant) => tenant.name === name) ? 'name' : 'email'
      throw ACCOUNTS_ERRORS.duplicate(`${field}: a tenant has it already`, {
        details: { fields: [{ field, message: 'a tenant has it already' }] },
      })
    }
    const { tenant } = await createTenant(tx, op.db, {
      kind: 'user',
      email: order.email ?? null,
      isEmailVerified: false,
      name,
      pendingPlan: null,
      quotaOverride: order.quota,
      expiresAt: null,
      key: { minted, kind: 'primary' },
      actor: op.actor,
      requestId: op.requestId,
      now: op.now(),
    })
    // Sign-up adds a suffix to distinguish tenants of one name; an ordered tenant gets exactly the ordered name.
    await tx.q.updateTable('tenants').set({ name }).where('id', '=', tenant.id).execute()
    const { id, plan, createdAt } = tenant
    return { id, name, email: order.email ?? null, plan, createdAt, apiKey: minted.apiKey }
  })
}
