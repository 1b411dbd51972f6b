import { endOf } from '../../core/billing/standing.ts'
import { isOver } from '../../core/billing/fold.ts'
import type { SqlRunner } from '../kernel/database.ts'
import { LOOK_AGAIN_MS, LOOK_GRACE_MS } from '../kernel/outbox/claim-rows.ts'
import { taxToPush } from './account/push-tax.ts'
import { readBillingRows } from './facts.ts'
import { endsToPush } from './subscriptions/push-ends.ts'

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
export async function noteRemaining(sql: SqlRunner, tenantId: string, now: Date): Promise<BillingWork> {
  const { subscriptions } = await readBillingRows(sql, tenantId)
  const ends = subscriptions
    .filter(({ status }) => !isOver(status))
    .flatMap((subscription) => endOf(subscription)?.getTime() ?? [])
    .filter((end) => end > now.getTime())
  const nextEndAt = ends.length === 0 ? null : new Date(Math.min(...ends))
  const isPushDue = (await endsToPush(sql, tenantId)).length > 0 || (await taxToPush(sql, tenantId)) !== null
  const looks = [
    ...(nextEndAt === null ? [] : [nextEndAt.getTime() + LOOK_GRACE_MS]),
    ...(isPushDue ? [now.getTime() + LOOK_AGAIN_MS] : []),
  ]
  await sql.query('update billing_accounts set look_at = $2 where tenant_id = $1 and look_at is distinct from $2', [
    tenantId,
    looks.length === 0 ? null : new Date(Math.min(...looks)),
  ])
  return { nextEndAt, isPushDue }
}

/** Makes sure that the reconciler looks at a tenant's billing rows: something was added to what remains. */
export async function noteMoreWork(sql: SqlRunner, tenantId: string, now: Date): Promise<void> {
  await sql.query('update billing_accounts set look_at = least(look_at, $2) where tenant_id = $1', [
    tenantId,
    new Date(now.getTime() + LOOK_AGAIN_MS),
  ])
}
