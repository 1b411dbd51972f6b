import { endOf, standingOf, supersededBy, type Standing, type Superseded } from '../../../core/billing/standing.ts'
import { isOver, OVER } from '../../../core/billing/events/fold.ts'
import { Billing } from '../../../core/billing/workflows.ts'
import type { Limits } from '../../../core/billing/limits.ts'
import type { Operation } from '../../kernel/operation.ts'
import { applyPlan } from './apply-plan.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { requestStart } from '../../kernel/outbox/request-start.ts'
import { noteCustomer } from '../account/push-tax.ts'
import { readBillingRows, type BillingRows } from './facts.ts'
import { lockBilling } from '../lock-tenant.ts'
import { noteMoreWork, noteRemaining, type BillingWork } from './remaining.ts'
import { settleDunnings } from '../dunning/settle-dunnings.ts'

/** Signals the workflow that carries out a tenant's billing rows. */
export async function wakeBilling(tx: Transaction, op: Operation): Promise<void> {
  const { tenantId } = op
  await noteMoreWork(tx, tenantId, op.now())
  await requestStart(tx, Billing, { tenantId })
}

/** Reason for a projection, for the audit ledger, and the limits in force. */
export interface Projection {
  readonly limits: Limits
  readonly reason: string
}

/** A tenant's billing state, and the work that remains. */
export interface Projected {
  readonly standing: Standing
  /** True when a subscription has an end ahead, or the processor must be notified. */
  readonly hasWork: boolean
  /** The remaining work and its due time. */
  readonly work: BillingWork
}

/** Does `projectBilling`, and signals the workflow when there is work for it. */
export async function projectAndWake(tx: Transaction, op: Operation, input: Projection): Promise<Standing | null> {
  const projected = await projectBilling(tx, op, input)
  if (projected?.hasWork) await wakeBilling(tx, op)
  return projected?.standing ?? null
}

/**
 * Recomputes plan, status and dunning of a tenant from its rows, and writes the changes. The result depends on the rows
 * and the time alone, so neither their order of arrival nor the number of runs matters. Null for a tenant without an
 * account.
 */
export async function projectBilling(tx: Transaction, op: Operation, input: Projection): Promise<Projected | null> {
  await tx.em.flush()
  const tenant = await lockBilling(tx, op.tenantId)
  if (tenant === null) return null
  const isDeleted = tenant.deletedAt !== null
  if (isDeleted) await endAll(tx, op)
  const rows = await readBillingRows(tx, op.tenantId)
  const dunned = await settleDunnings(tx, op, { tenant, rows, limits: input.limits })
  const { pendingPlan, grantedPlan } = tenant
  const facts = { ...rows, ...dunned, isDeleted, pendingPlan, grantedPlan }
  const standing = standingOf(facts, op.now())
  let isEndNew = false
  for (const superseded of supersededBy(facts)) isEndNew = (await endSuperseded(tx, op, superseded)) || isEndNew
  const isTaxDue = await noteCustomer(tx, op, standing.customerId)
  await applyPlan(tx, op, { plan: standing.plan, billingStatus: standing.billingStatus, reason: input.reason })
  const work = await noteRemaining(tx, op.tenantId, op.now())
  return { standing, hasWork: isEndNew || isTaxDue || hasEnd(rows), work }
}

function hasEnd({ subscriptions }: BillingRows): boolean {
  return subscriptions.some((subscription) => !isOver(subscription.status) && endOf(subscription) !== null)
}

/** True when it had not ended by then. */
async function endSuperseded(tx: Transaction, op: Operation, { subscriptionId, at }: Superseded): Promise<boolean> {
  const ended = await tx.q
    .updateTable('subscriptions')
    .set({ ends_at: at, end_pushed_at: null, resume_due_at: null })
    .where('id', '=', subscriptionId)
    .where('tenant_id', '=', op.tenantId)
    .where((of) => of.or([of('ends_at', 'is', null), of('ends_at', '>', at)]))
    .returning('id')
    .execute()
  return ended.length > 0
}

/** A deleted tenant has no subscriptions: one from a late event ends at once. */
async function endAll(tx: Transaction, op: Operation): Promise<void> {
  const now = op.now()
  await tx.q
    .updateTable('subscriptions')
    .set({ ends_at: now, end_pushed_at: null, resume_due_at: null })
    .where('tenant_id', '=', op.tenantId)
    .where((of) => of.or([of('ends_at', 'is', null), of('ends_at', '>', now)]))
    .where('status', 'not in', OVER)
    .execute()
}
