import { BILLING_ERRORS } from '../../../core/billing/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { PaymentProcessor } from '../../../core/billing/processor.ts'
import { markTaxPushed, taxToPush } from '../../../db/billing/account/push-tax.ts'
import { endsToPush, markEndPushed } from '../../../db/billing/subscriptions/push-ends.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { operationOf, type BillingDeps, type BillingRef } from './deps.ts'

/** The outcome of notifying the processor. `unreachable`: a notification is due and no processor is configured. */
export interface PushOutcome {
  readonly state: 'pushed' | 'unreachable'
}

/**
 * Notifies the payment processor of decisions made here: ends of subscriptions, tax fields. Safe to repeat: each call
 * states the target value and is recorded when it is done. Throws `processor_failed`.
 */
export async function pushBilling(deps: BillingDeps, ref: BillingRef): Promise<PushOutcome> {
  const { processor } = deps
  const op = operationOf(deps, ref)
  const ends = await endsToPush(op, ref.tenantId)
  const isTaxDue = (await taxToPush(op, ref.tenantId)) !== null
  if (ends.length === 0 && !isTaxDue) return { state: 'pushed' }
  if (processor === null) return { state: 'unreachable' }
  try {
    for (const end of ends) {
      const { subscriptionId, endsAt } = end
      const now = deps.now()
      if (endsAt === null) await processor.setCancelAtPeriodEnd({ subscriptionId, isSet: false })
      else if (endsAt <= now) await processor.cancelNow({ subscriptionId })
      else await processor.setCancelAtPeriodEnd({ subscriptionId, isSet: true })
      await markEndPushed(op, { ...end, now })
    }
    if (isTaxDue) await pushTax(op, processor)
  } catch (error) {
    if (BILLING_ERRORS.billing_not_configured.matches(error)) return { state: 'unreachable' }
    throw error
  }
  return { state: 'pushed' }
}

async function pushTax(op: Operation, processor: PaymentProcessor): Promise<void> {
  const tax = await taxToPush(op, op.tenantId)
  if (tax === null) return
  const { update, dirtyAt } = tax
  try {
    await processor.updateCustomer(update)
    await markTaxPushed(op, { dirtyAt, isRefused: false })
  } catch (error) {
    // A deleted customer needs no update: the next one gets all fields.
    if (KERNEL_ERRORS.not_found.matches(error)) await markTaxPushed(op, { dirtyAt, isRefused: false })
    else if (KERNEL_ERRORS.validation_failed.matches(error)) await markTaxPushed(op, { dirtyAt, isRefused: true })
    else throw error
  }
}
