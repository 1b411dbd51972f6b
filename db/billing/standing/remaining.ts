import { sql } from 'kysely'
import { endOf } from '../../../core/billing/standing.ts'
import { isOver } from '../../../core/billing/events/fold.ts'
import { LOOK_AGAIN_MS, LOOK_GRACE_MS } from '../../kernel/outbox/claim-rows.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { taxToPush } from '../account/push-tax.ts'
import { readBillingRows } from './facts.ts'
import { endsToPush } from '../subscriptions/push-ends.ts'

/** Remaining work for a tenant's billing rows. */
export interface BillingWork {
  /** When the next subscription ends; null when none does. */
  readonly nextEndAt: Date | null
  /** True when the processor must be notified. */
  readonly isPushDue: boolean
}

/**
 * Reads the remaining work for a tenant's billing rows and records when the reconciler restarts its workflow, in case
 * the run is gone by then. The tenant must be locked.
 */
export async function noteRemaining(tx: Transaction, tenantId: string, now: Date): Promise<BillingWork> {
  const { subscriptions } = await readBillingRows(tx, tenantId)
  const ends = subscriptions
    .filter(({ status }) => !isOver(status))
    .flatMap((subscription) => endOf(subscription)?.getTime() ?? [])
    .filter((end) => end > now.getTime())
  const nextEndAt = ends.length === 0 ? null : new Date(Math.min(...ends))
  const isPushDue = (await endsToPush(tx, tenantId)).length > 0 || (await taxToPush(tx, tenantId)) !== null
  const looks = [
    ...(nextEndAt === null ? [] : [nextEndAt.getTime() + LOOK_GRACE_MS]),
    ...(isPushDue ? [now.getTime() + LOOK_AGAIN_MS] : []),
  ]
  const lookAt = looks.length === 0 ? null : new Date(Math.min(...looks))
  await tx.q
    .updateTable('billing_accounts')
    .set({ look_at: lookAt })
    .where('tenant_id', '=', tenantId)
    .where('look_at', 'is distinct from', lookAt)
    .execute()
  return { nextEndAt, isPushDue }
}

/** Makes the reconciler check a tenant's billing rows soon: work was added. */
export async function noteMoreWork(tx: Transaction, tenantId: string, now: Date): Promise<void> {
  const soon = new Date(now.getTime() + LOOK_AGAIN_MS)
  await tx.q
    .updateTable('billing_accounts')
    .set({ look_at: sql<Date>`least(look_at, ${soon})` })
    .where('tenant_id', '=', tenantId)
    .execute()
}
