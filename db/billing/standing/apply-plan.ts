import type { BillingStatus } from '../../../core/kernel/tenant/billing-status.ts'
import { PLAN_IDS, PLANS, type PlanId } from '../../../core/kernel/tenant/plans.ts'
import { addCheckpointBeforePlan } from '../../ledger/audit/add-checkpoint.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../../accounts/mails/enqueue-mail.ts'
import { clampSeats } from '../../accounts/members/seats.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { periodOf } from '../quota/period.ts'
import { recallLeases } from '../quota/recall.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Puts a plan in force: the only writer of `tenants.plan`. On a smaller plan seats are given up, units leased under the
 * larger one are recalled, and existing ledger entries keep the larger plan's retention; every process gets a
 * notification. A suspension removes nothing that a payment could not restore, so seats wait until it ends in another
 * way. A no-op for the plan in force.
 */
export async function applyPlan(
  tx: Transaction,
  op: Operation,
  input: { readonly plan: PlanId; readonly billingStatus: BillingStatus; readonly reason: string },
): Promise<void> {
  const { plan, billingStatus, reason } = input
  await tx.em.flush()
  const tenant = await tx.q
    .selectFrom('tenants')
    .select(['name', 'plan', 'billing_status as billingStatus', 'email', 'deleted_at as deletedAt'])
    .where('id', '=', op.tenantId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (tenant === undefined) throw new Error(`there is no tenant ${op.tenantId}`)
  const isSmaller = PLAN_IDS.indexOf(plan) < PLAN_IDS.indexOf(tenant.plan)
  if (isSmaller) await addCheckpointBeforePlan(tx, op.db, op.tenantId, op.now())
  await tx.q.updateTable('tenants').set({ plan, billing_status: billingStatus }).where('id', '=', op.tenantId).execute()
  const losesSeats = billingStatus !== 'suspended' && (isSmaller || tenant.billingStatus === 'suspended')
  const seatsGivenUp = losesSeats ? await clampSeats(tx, op, PLANS[plan].seats) : []
  if (tenant.plan === plan) return
  if (isSmaller) await recallLeases(tx, { tenantId: op.tenantId, period: periodOf(op.now()) })
  await tx.q.selectNoFrom(notify('svc_keys', op.tenantId).as('notified')).execute()
  await recordAudit(tx, op, {
    action: 'billing.plan_changed',
    target: op.tenantId,
    payload: { from: tenant.plan, to: plan, reason, billing_status: billingStatus, seats_given_up: [...seatsGivenUp] },
  })
  if (tenant.email === null || tenant.deletedAt !== null) return
  await enqueueMail(tx, op.db, {
    template: 'plan_changed',
    to: tenant.email,
    tenantId: op.tenantId,
    params: { workspace: tenant.name, from: PLANS[tenant.plan].label, to: PLANS[plan].label },
    now: op.now(),
  })
}
