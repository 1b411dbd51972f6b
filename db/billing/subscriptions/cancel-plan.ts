import type { Limits } from '../../../core/billing/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { lockBilling } from '../lock-tenant.ts'
import { projectAndWake } from '../standing/project.ts'
import { giveUpPlans } from './change-plan.ts'
import { endSubscriptions } from './end-subscriptions.ts'

/**
 * Lets the plan fall back to the free one at the end of the paid period, or at once when no period is known. The
 * workflow notifies the processor and waits for that time. A plan granted by an administrator has no period and ends at
 * once. Repeating it changes nothing. Returns when it happens.
 */
export async function cancelPlan(op: Operation, input: { readonly limits: Limits }): Promise<Date> {
  requireScope(op, 'billing:write')
  return await op.write(async (tx) => {
    const now = op.now()
    await lockBilling(tx, op.tenantId)
    const { ids, lastEndsAt } = await endSubscriptions(tx, { tenantId: op.tenantId, now, isAtPeriodEnd: true })
    await giveUpPlans(tx, op.tenantId)
    const effectiveAt = lastEndsAt ?? now
    await recordAudit(tx, op, {
      action: 'billing.cancel_requested',
      target: op.tenantId,
      payload: { subscriptions: [...ids], effective_at: effectiveAt.toISOString() },
    })
    await projectAndWake(tx, op, { limits: input.limits, reason: 'cancel' })
    return effectiveAt
  })
}
