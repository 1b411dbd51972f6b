import { DomainError } from '../../core/errors.ts'
import { endsToPush, markEndPushed, markTaxPushed, taxToPush } from '../../db/billing/carry-out.ts'
import type { BillingDeps, BillingRef } from './deps.ts'

/** What came of telling the processor. `unreachable`: there is none to tell. */
export interface PushOutcome {
  readonly state: 'pushed' | 'unreachable'
}

/**
 * Tells the payment processor what was decided here: ends of subscriptions, tax fields. Safe to repeat: each call carries
 * a key made of what it says, and is noted when it is done. Throws `processor_failed`.
 */
export async function pushBilling(deps: BillingDeps, ref: BillingRef): Promise<PushOutcome> {
  const { db, processor } = deps
  const { tenantId } = ref
  if (processor === null) return { state: 'unreachable' }
  try {
    for (const end of await endsToPush(db, tenantId)) {
      const { subscriptionId, endsAt } = end
      const now = deps.now()
      const idempotencyKey = `end/${subscriptionId}/${endsAt.getTime()}`
      if (endsAt <= now) await processor.cancelNow({ subscriptionId, idempotencyKey: `${idempotencyKey}/now` })
      else await processor.setCancelAtPeriodEnd({ subscriptionId, isSet: true, idempotencyKey })
      await markEndPushed(db, { ...end, tenantId, now })
    }
    const tax = await taxToPush(db, tenantId)
    if (tax !== null) {
      const { dirtyAt, ...fields } = tax
      await processor.updateCustomer({ ...fields, idempotencyKey: `tax/${tenantId}/${dirtyAt.getTime()}` })
      await markTaxPushed(db, { tenantId, dirtyAt })
    }
  } catch (error) {
    if (error instanceof DomainError && error.code === 'billing_not_configured') return { state: 'unreachable' }
    throw error
  }
  return { state: 'pushed' }
}
