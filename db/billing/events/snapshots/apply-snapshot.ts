import type { ProcessorSnapshot } from '../../../../core/billing/events/events.ts'
import type { Version } from '../../../../core/billing/events/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { applyCheckout } from './checkout.ts'
import { applyCustomer } from './customer.ts'
import { applyInvoice } from './invoice.ts'
import { applyRefund } from './refund.ts'
import { applySubscription } from './subscription.ts'

/** Folds a snapshot into the tenant's rows, when it is newer than what they hold. The tenant must be locked. */
export async function applySnapshot(
  tx: Transaction,
  op: Operation,
  input: { readonly snapshot: ProcessorSnapshot; readonly version: Version },
): Promise<void> {
  const { snapshot, version } = input
  switch (snapshot.kind) {
    case 'checkout':
      return await applyCheckout(tx, op, snapshot, version)
    case 'subscription':
      return await applySubscription(tx, op, snapshot, version)
    case 'invoice':
      return await applyInvoice(tx, op, snapshot, version)
    case 'customer':
      return await applyCustomer(tx, op, snapshot, version)
    case 'refund':
      return await applyRefund(tx, op, snapshot, version)
  }
}
