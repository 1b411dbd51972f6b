import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { lockBilling } from '../lock-tenant.ts'
import { projectAndWake } from '../standing/project.ts'

/** The granted plan, and the one in force now. */
export interface GrantedPlan {
  readonly grantedPlan: PlanId | null
  readonly plan: PlanId
}

/**
 * Grants a tenant an unpaid plan, or removes it with null. It is in force unless a higher one was bought, and no event
 * of the processor changes it; it ends when the tenant downgrades to the free plan. The caller acts for the operator.
 * Throws `not_found` for a tenant without an account.
 */
export async function grantPlan(
  op: Operation,
  input: { readonly tenantId: string; readonly plan: PlanId | null; readonly limits: Limits },
): Promise<GrantedPlan> {
  const own: Operation = { ...op, tenantId: input.tenantId }
  const grantedPlan = input.plan === 'free' ? null : input.plan
  return await own.write(async (tx) => {
    const tenant = await lockBilling(tx, own.tenantId)
    if (tenant === null || tenant.deletedAt !== null) throw KERNEL_ERRORS.not_found('no such account')
    await tx.q.updateTable('tenants').set({ granted_plan: grantedPlan }).where('id', '=', own.tenantId).execute()
    if (tenant.grantedPlan !== grantedPlan) {
      await recordAudit(tx, own, {
        action: 'billing.plan_granted',
        target: own.tenantId,
        payload: { from: tenant.grantedPlan, to: grantedPlan },
      })
    }
    const standing = await projectAndWake(tx, own, { limits: input.limits, reason: 'grant' })
    return { grantedPlan, plan: standing?.plan ?? tenant.plan }
  })
}
