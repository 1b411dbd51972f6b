import { endOf, standingOf, supersededBy, type Standing } from '../../core/billing/standing.ts'
import { isOver } from '../../core/billing/fold.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Operation } from '../operation.ts'
import { applyPlan } from '../tenants/apply-plan.ts'
import type { Transaction } from '../transaction.ts'
import { requestPoke } from '../workflow-starts/request-poke.ts'
import { readBillingRows, type BillingRows } from './facts.ts'
import { lockBilling } from './lock-tenant.ts'
import { settleDunnings } from './settle-dunnings.ts'

/** The id of the workflow that carries out what a tenant's billing rows say. */
export function billingWorkflowId(tenantId: string): string {
  return `${tenantId}/billing`
}

/** Tells that workflow to look at the rows. */
export async function pokeBilling(tx: Transaction, op: Operation): Promise<void> {
  const { db, tenantId } = op
  await requestPoke(tx, db, { family: 'billing', workflowId: billingWorkflowId(tenantId), tenantId, now: op.now() })
}

/** Why a projection is made, for the audit ledger, and the limits in force. */
export interface Projection {
  readonly limits: Limits
  readonly reason: string
}

/** How a tenant stands, and whether something of it is yet to be carried out. */
export interface Projected {
  readonly standing: Standing
  /** True when a subscription ends some time, or the processor has yet to be told that it does. */
  readonly hasWork: boolean
}

/** `projectBilling`, and tells the workflow when there is something for it to do. */
export async function projectAndPoke(tx: Transaction, op: Operation, input: Projection): Promise<Standing | null> {
  const projected = await projectBilling(tx, op, input)
  if (projected?.hasWork) await pokeBilling(tx, op)
  return projected?.standing ?? null
}

/**
 * Computes plan, status and dunning of a tenant anew from its rows, and writes what changed. The result depends on the
 * rows and the time alone, so it does not matter in which order they came to be, nor how often this runs. Null for a
 * tenant that is nobody's account.
 */
export async function projectBilling(tx: Transaction, op: Operation, input: Projection): Promise<Projected | null> {
  await tx.em.flush()
  const tenant = await lockBilling(tx, op.tenantId)
  if (tenant === null) return null
  const isDeleted = tenant.deletedAt !== null
  if (isDeleted) await endAll(tx, op)
  const rows = await readBillingRows(tx, op.tenantId)
  const dunned = await settleDunnings(tx, op, { tenant, rows, limits: input.limits })
  const facts = { ...rows, ...dunned, isDeleted, pendingPlan: tenant.pendingPlan }
  const standing = standingOf(facts, op.now())
  const superseded = supersededBy(facts)
  for (const { subscriptionId, at } of superseded) await endSubscription(tx, op, subscriptionId, at)
  await tx.query(
    `insert into billing_accounts (tenant_id, customer_id, credit_balance_cents, event_created, event_id, updated_at)
     values ($1, $2, 0, 0, '', $3)
     on conflict (tenant_id) do update set customer_id = excluded.customer_id, updated_at = excluded.updated_at
     where billing_accounts.customer_id is distinct from excluded.customer_id`,
    [op.tenantId, standing.customerId, op.now()],
  )
  await applyPlan(tx, op, { plan: standing.plan, billingStatus: standing.billingStatus, reason: input.reason })
  return { standing, hasWork: superseded.length > 0 || hasWork(rows) }
}

function hasWork({ subscriptions }: BillingRows): boolean {
  return subscriptions.some((subscription) => !isOver(subscription.status) && endOf(subscription) !== null)
}

async function endSubscription(tx: Transaction, op: Operation, subscriptionId: string, at: Date): Promise<void> {
  await tx.query(
    `update subscriptions set ends_at = $3, end_pushed_at = null
     where id = $2 and tenant_id = $1 and (ends_at is null or ends_at > $3)`,
    [op.tenantId, subscriptionId, at],
  )
}

/** A tenant that was deleted buys nothing: what a late event brings ends at once. */
async function endAll(tx: Transaction, op: Operation): Promise<void> {
  await tx.query(
    `update subscriptions set ends_at = $2, end_pushed_at = null
     where tenant_id = $1 and (ends_at is null or ends_at > $2) and status not in ('canceled', 'incomplete_expired')`,
    [op.tenantId, op.now()],
  )
}
