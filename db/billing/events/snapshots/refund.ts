import type { RefundSnapshot } from '../../../../core/billing/events/events.ts'
import { supersedes, type Version } from '../../../../core/billing/events/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { failRefund, finishRefund } from '../../refunds/finish-refund.ts'
import { instantOf } from './instant.ts'

/** Applies a refund: a negative line of the ledger. One requested here also ends its own row. */
export async function applyRefund(
  tx: Transaction,
  op: Operation,
  snapshot: RefundSnapshot,
  version: Version,
): Promise<void> {
  const held = await tx.q
    .selectFrom('invoices')
    .select(['status', 'event_created as created', 'event_id as eventId'])
    .where('id', '=', snapshot.id)
    .where('tenant_id', '=', op.tenantId)
    .executeTakeFirst()
  const rank = refundRank(snapshot.status)
  if (held !== undefined && !supersedes({ rank, version }, { rank: refundRank(held.status), version: held })) return
  await tx.q
    .insertInto('invoices')
    .values({
      id: snapshot.id,
      tenant_id: op.tenantId,
      kind: 'refund',
      // A failed refund returned no money.
      amount_paid_cents: rank === 2 ? 0 : 0 - snapshot.amountCents,
      currency: snapshot.currency,
      status: snapshot.status,
      customer_id: snapshot.customerId,
      charge_id: snapshot.chargeId,
      payment_intent_id: snapshot.paymentIntentId,
      description: 'Refund',
      event_created: version.created,
      event_id: version.eventId,
      created_at: instantOf(snapshot.createdS),
    })
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet({
          status: (of) => of.ref('excluded.status'),
          amount_paid_cents: (of) => of.ref('excluded.amount_paid_cents'),
          customer_id: (of) => of.ref('excluded.customer_id'),
          event_created: (of) => of.ref('excluded.event_created'),
          event_id: (of) => of.ref('excluded.event_id'),
          created_at: (of) => of.ref('excluded.created_at'),
        })
        .whereRef('invoices.tenant_id', '=', 'excluded.tenant_id'),
    )
    .execute()
  const { refundId, id: processorId, amountCents, currency } = snapshot
  if (refundId === null) return
  if (rank === 2) await failRefund(tx, op, { refundId, currency })
  else await finishRefund(tx, op, { refundId, processorId, amountCents, currency })
}

/** A refund may fail after it succeeded, when the bank sends the money back. */
function refundRank(status: string): number {
  if (status === 'failed' || status === 'canceled') return 2
  return status === 'succeeded' ? 1 : 0
}
