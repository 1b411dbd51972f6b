import { DomainError } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/kernel/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { lockBilling } from '../lock-tenant.ts'
import { wakeBilling, projectAndWake, projectBilling } from '../project.ts'
import { endSubscriptions } from './end-subscriptions.ts'

/**
 * Puts the free plan in force at once. Subscriptions end here with the same transaction, and at the processor as soon as
 * the workflow reaches it; what was paid for the rest of the period becomes credit there. A plan that an administrator
 * gave is given up too.
 */
export async function changeToFree(op: Operation, input: { readonly limits: Limits }): Promise<void> {
  requireScope(op, 'billing:write')
  await inTransaction(op.db, op.tenantId, async (tx) => {
    await lockBilling(tx, op.tenantId)
    const { ids } = await endSubscriptions(tx, { tenantId: op.tenantId, now: op.now(), isAtPeriodEnd: false })
    await giveUpPlans(tx, op.tenantId)
    if (ids.length > 0) {
      await recordAudit(tx, op, {
        action: 'billing.cancel_requested',
        target: op.tenantId,
        payload: { subscriptions: [...ids], effective_at: op.now().toISOString() },
      })
    }
    await projectAndWake(tx, op, { limits: input.limits, reason: 'change-plan' })
  })
}

/** Forgets a plan that was asked for and one that an administrator gave. The tenant must be locked. */
export async function giveUpPlans(sql: SqlRunner, tenantId: string): Promise<void> {
  await sql.query('update tenants set pending_plan = null, granted_plan = null, trial_ends_at = null where id = $1', [
    tenantId,
  ])
}

/**
 * Goes on with a plan that was to end with its period; the workflow tells the processor. What has ended already, or was
 * given up for another plan, stays as it is.
 */
export async function keepPlan(
  op: Operation,
  input: { readonly plan: PlanId; readonly limits: Limits },
): Promise<void> {
  requireScope(op, 'billing:write')
  const { plan, limits } = input
  await inTransaction(op.db, op.tenantId, async (tx) => {
    await lockBilling(tx, op.tenantId)
    const kept = await tx.query<{ id: string }>(
      `update subscriptions set ends_at = null, end_pushed_at = null, resume_due_at = $3, updated_at = $3
       where tenant_id = $1 and plan = $2 and status not in ('canceled', 'incomplete_expired')
         and resume_due_at is null and (ends_at > $3 or is_cancel_at_period_end and ends_at is null)
       returning id`,
      [op.tenantId, plan, op.now()],
    )
    if (kept.length === 0) return
    const subscriptions = kept.map(({ id }) => id).toSorted()
    await recordAudit(tx, op, { action: 'billing.cancel_taken_back', target: op.tenantId, payload: { subscriptions } })
    await projectBilling(tx, op, { limits, reason: 'change-plan' })
    await wakeBilling(tx, op)
  })
}

/**
 * Writes down that a paid plan is wanted, and by which checkout, when one was begun here. The plan that is in force stays:
 * only an event of the processor changes it. Throws `not_found` for a tenant that is nobody's account.
 */
export async function wantPlan(
  op: Operation,
  input: {
    readonly plan: PlanId
    readonly checkout: { readonly id: string; readonly url: string; readonly customerId: string | null } | null
  },
): Promise<void> {
  requireScope(op, 'billing:write')
  const { plan, checkout } = input
  await inTransaction(op.db, op.tenantId, async (tx) => {
    if ((await lockBilling(tx, op.tenantId)) === null) throw new DomainError('not_found', 'no such account')
    if (checkout !== null) {
      // An event may have told of it before this answer came.
      await tx.query(
        `insert into checkout_sessions (id, tenant_id, plan, source, customer_id, url, event_created, event_id, created_at)
         values ($1, $2, $3, 'checkout', $4, $5, 0, '', $6)
         on conflict (id) do update set url = excluded.url where checkout_sessions.tenant_id = excluded.tenant_id`,
        [checkout.id, op.tenantId, plan, checkout.customerId, checkout.url, op.now()],
      )
    }
    await tx.query(
      `update tenants set pending_plan = $2,
         billing_status = case when billing_status in ('free', 'cancelled') then 'pending' else billing_status end
       where id = $1 and not exists (
         select 1 from checkout_sessions where id = $3 and completed_at is not null
       )`,
      [op.tenantId, plan, checkout?.id ?? null],
    )
    await recordAudit(tx, op, {
      action: 'billing.checkout_started',
      target: checkout?.id ?? op.tenantId,
      payload: { plan, source: checkout === null ? 'link' : 'checkout' },
    })
  })
}
