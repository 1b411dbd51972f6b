import type { RefundSnapshot } from '../../../../core/billing/events.ts'
import { supersedes, type Version } from '../../../../core/billing/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { failRefund, finishRefund } from '../../refunds/finish-refund.ts'
import { instantOf } from './instant.ts'

interface Held {
  readonly status: string
  readonly created: number
  readonly eventId: string
}

/** A refund: a negative line of the ledger. One that was asked for here also ends its own row. */
export async function applyRefund(
  tx: Transaction,
  op: Operation,
  snapshot: RefundSnapshot,
  version: Version,
): Promise<void> {
  const [held] = await tx.query<Held>(
    'select status, event_created as created, event_id as "eventId" from invoices where id = $1 and tenant_id = $2',
    [snapshot.id, op.tenantId],
  )
  const rank = refundRank(snapshot.status)
  if (held !== undefined && !supersedes({ rank, version }, { rank: refundRank(held.status), version: held })) return
  await tx.query(
    `insert into invoices (id, tenant_id, kind, amount_paid_cents, currency, status, customer_id, charge_id,
       payment_intent_id, description, event_created, event_id, created_at)
     values ($1, $2, 'refund', $3, $4, $5, $6, $7, $8, 'Refund', $9, $10, $11)
     on conflict (id) do update set status = excluded.status, amount_paid_cents = excluded.amount_paid_cents,
       customer_id = excluded.customer_id, event_created = excluded.event_created, event_id = excluded.event_id,
       created_at = excluded.created_at
     where invoices.tenant_id = excluded.tenant_id`,
    [
      snapshot.id,
      op.tenantId,
      // Nothing went back when it failed.
      rank === 2 ? 0 : 0 - snapshot.amountCents,
      snapshot.currency,
      snapshot.status,
      snapshot.customerId,
      snapshot.chargeId,
      snapshot.paymentIntentId,
      version.created,
      version.eventId,
      instantOf(snapshot.createdS),
    ],
  )
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
