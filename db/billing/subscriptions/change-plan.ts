import { sql } from 'kysely'
import { OVER } from '../../../core/billing/events/fold.ts'
import type { BillingStatus } from '../../../core/kernel/tenant/billing-status.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { lockBilling } from '../lock-tenant.ts'
import { wakeBilling, projectAndWake, projectBilling } from '../standing/project.ts'
import { endSubscriptions } from './end-subscriptions.ts'

/**
 * Puts the free plan in force at once. Subscriptions end here with the same transaction, and at the processor as soon
 * as the workflow reaches it; payment for the rest of the period becomes credit there. A plan granted by an
 * administrator ends too.
 */
export async function changeToFree(op: Operation, input: { readonly limits: Limits }): Promise<void> {
  requireScope(op, 'billing:write')
  await op.write(async (tx) => {
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

/** Clears a pending plan and one granted by an administrator. The tenant must be locked. */
export async function giveUpPlans(tx: Transaction, tenantId: string): Promise<void> {
  await tx.q
    .updateTable('tenants')
    .set({ pending_plan: null, granted_plan: null, trial_ends_at: null })
    .where('id', '=', tenantId)
    .execute()
}

/**
 * Resumes a plan that was to end with its period; the workflow notifies the processor. Subscriptions that have ended
 * already, or were replaced by another plan, stay ended.
 */
export async function keepPlan(
  op: Operation,
  input: { readonly plan: PlanId; readonly limits: Limits },
): Promise<void> {
  requireScope(op, 'billing:write')
  const { plan, limits } = input
  await op.write(async (tx) => {
    await lockBilling(tx, op.tenantId)
    const now = op.now()
    const kept = await tx.q
      .updateTable('subscriptions')
      .set({ ends_at: null, end_pushed_at: null, resume_due_at: now, updated_at: now })
      .where('tenant_id', '=', op.tenantId)
      .where('plan', '=', plan)
      .where('status', 'not in', OVER)
      .where('resume_due_at', 'is', null)
      .where((of) =>
        of.or([of('ends_at', '>', now), of.and([of('is_cancel_at_period_end', '=', true), of('ends_at', 'is', null)])]),
      )
      .returning('id')
      .execute()
    if (kept.length === 0) return
    const subscriptions = kept.map(({ id }) => id).toSorted()
    await recordAudit(tx, op, { action: 'billing.cancel_taken_back', target: op.tenantId, payload: { subscriptions } })
    await projectBilling(tx, op, { limits, reason: 'change-plan' })
    await wakeBilling(tx, op)
  })
}

/**
 * Records a requested paid plan, and its checkout when one was begun here. The plan in force stays: only an event of
 * the processor changes it. Throws `not_found` for a tenant without an account.
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
  await op.write(async (tx) => {
    if ((await lockBilling(tx, op.tenantId)) === null) throw KERNEL_ERRORS.not_found('no such account')
    if (checkout !== null) {
      // An event may have arrived before this reply.
      await tx.q
        .insertInto('checkout_sessions')
        .values({
          id: checkout.id,
          tenant_id: op.tenantId,
          plan,
          source: 'checkout',
          customer_id: checkout.customerId,
          url: checkout.url,
          event_created: 0,
          event_id: '',
          created_at: op.now(),
        })
        .onConflict((on) =>
          on
            .column('id')
            .doUpdateSet({ url: (of) => of.ref('excluded.url') })
            .whereRef('checkout_sessions.tenant_id', '=', 'excluded.tenant_id'),
        )
        .execute()
    }
    await tx.q
      .updateTable('tenants')
      .set({
        pending_plan: plan,
        billing_status: sql<BillingStatus>`case when billing_status in ('free', 'cancelled') then 'pending' else billing_status end`,
      })
      .where('id', '=', op.tenantId)
      .$if(checkout !== null, (q) =>
        q.where((of) =>
          of.not(
            of.exists(
              of
                .selectFrom('checkout_sessions')
                .select('id')
                .where('id', '=', checkout?.id ?? '')
                .where('completed_at', 'is not', null),
            ),
          ),
        ),
      )
      .execute()
    await recordAudit(tx, op, {
      action: 'billing.checkout_started',
      target: checkout?.id ?? op.tenantId,
      payload: { plan, source: checkout === null ? 'link' : 'checkout' },
    })
  })
}
