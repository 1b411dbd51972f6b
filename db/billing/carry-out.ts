import { endOf } from '../../core/billing/standing.ts'
import { isOver } from '../../core/billing/fold.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'
import { taxToPush } from './account/push-tax.ts'
import { readBillingRows } from './facts.ts'
import { projectBilling } from './project.ts'
import { endsToPush } from './subscriptions/push-ends.ts'

/** What remains to be done for a tenant's billing rows. */
export interface BillingWork {
  /** When the next subscription ends; null when none does. */
  readonly nextEndAt: Date | null
  /** True when the processor has yet to be told of something. */
  readonly isPushDue: boolean
}

/** Puts into force what time has brought, such as the end of a paid period, and says what remains. */
export async function settleBilling(op: Operation, input: { readonly limits: Limits }): Promise<BillingWork> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    await projectBilling(tx, op, { limits: input.limits, reason: 'period-end' })
  })
  const { subscriptions } = await readBillingRows(op.db, op.tenantId)
  const now = op.now()
  const ends = subscriptions
    .filter(({ status }) => !isOver(status))
    .flatMap((subscription) => endOf(subscription)?.getTime() ?? [])
    .filter((end) => end > now.getTime())
  return {
    nextEndAt: ends.length === 0 ? null : new Date(Math.min(...ends)),
    isPushDue: (await endsToPush(op.db, op.tenantId)).length > 0 || (await taxToPush(op.db, op.tenantId)) !== null,
  }
}
