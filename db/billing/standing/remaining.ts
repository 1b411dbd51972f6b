import { sql } from 'kysely'
import { endOf } from '../../../core/billing/standing.ts'
import { isOver } from '../../../core/billing/events/fold.ts'
import { LOOK_AGAIN_MS, LOOK_GRACE_MS } from '../../kernel/outbox/claim-rows.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { taxToPush } from '../account/push-tax.ts'
import { readBillingRows } from './facts.ts'
import { endsToPush } from '../subscriptions/push-ends.ts'

/** What remains to be done for a tenant's billing rows. */
export interface BillingWork {
  /** When the next subscription ends; null when none does. */
  readonly nextEndAt: Date | null
  /** True when the processor has yet to be told of something. */
  readonly isPushDue: boolean
}

/**
 * Reads what remains to be done for a tenant's billing rows and writes down when the reconciler starts the workflow again
 * that does it, in case its run is gone by then. The tenant must be locked.
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

/** Makes sure that the reconciler looks at a tenant's billing rows: something was added to what remains. */
export async function noteMoreWork(tx: Transaction, tenantId: string, now: Date): Promise<void> {
  const soon = new Date(now.getTime() + LOOK_AGAIN_MS)
  await tx.q
    .updateTable('billing_accounts')
    .set({ look_at: sql<Date>`least(look_at, ${soon})` })
    .where('tenant_id', '=', tenantId)
    .execute()
}
