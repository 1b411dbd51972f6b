import type { InvoiceSnapshot } from '../../../../core/billing/events.ts'
import { earlier, invoiceRank, later, supersedes, type Version } from '../../../../core/billing/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { instantOf } from './instant.ts'

interface Held {
  readonly status: string
  readonly created: number
  readonly eventId: string
  readonly firstFailedAt: Date | null
  readonly lastFailedAt: Date | null
}

/** An invoice. Its failures are kept whatever came after them: they are what reminders are counted from. */
export async function applyInvoice(
  tx: Transaction,
  op: Operation,
  snapshot: InvoiceSnapshot,
  version: Version,
): Promise<void> {
  const [held] = await tx.query<Held>(
    `select status, event_created as created, event_id as "eventId", first_failed_at as "firstFailedAt",
       last_failed_at as "lastFailedAt"
     from invoices where id = $1 and tenant_id = $2`,
    [snapshot.id, op.tenantId],
  )
  const failedAt = instantOf(snapshot.failedAtS)
  const firstFailedAt = earlier(held?.firstFailedAt ?? null, failedAt)
  const lastFailedAt = later(held?.lastFailedAt ?? null, failedAt)
  const isNewer =
    held === undefined ||
    supersedes({ rank: invoiceRank(snapshot.status), version }, { rank: invoiceRank(held.status), version: held })
  if (!isNewer) {
    await tx.query('update invoices set first_failed_at = $3, last_failed_at = $4 where id = $1 and tenant_id = $2', [
      snapshot.id,
      op.tenantId,
      firstFailedAt,
      lastFailedAt,
    ])
    return
  }
  await tx.query(
    `insert into invoices (id, tenant_id, kind, number, amount_paid_cents, currency, status, customer_id,
       subscription_id, charge_id, payment_intent_id, hosted_invoice_url, invoice_pdf, period_start, period_end,
       description, first_failed_at, last_failed_at, paid_at, event_created, event_id, created_at)
     values ($1, $2, 'invoice', $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
     on conflict (id) do update set number = excluded.number, amount_paid_cents = excluded.amount_paid_cents,
       currency = excluded.currency, status = excluded.status, customer_id = excluded.customer_id,
       subscription_id = excluded.subscription_id, charge_id = excluded.charge_id,
       payment_intent_id = excluded.payment_intent_id, hosted_invoice_url = excluded.hosted_invoice_url,
       invoice_pdf = excluded.invoice_pdf, period_start = excluded.period_start, period_end = excluded.period_end,
       description = excluded.description, first_failed_at = excluded.first_failed_at,
       last_failed_at = excluded.last_failed_at, paid_at = excluded.paid_at, event_created = excluded.event_created,
       event_id = excluded.event_id, created_at = excluded.created_at
     where invoices.tenant_id = excluded.tenant_id`,
    [
      snapshot.id,
      op.tenantId,
      snapshot.number,
      snapshot.amountPaidCents,
      snapshot.currency,
      snapshot.status,
      snapshot.customerId,
      snapshot.subscriptionId,
      snapshot.chargeId,
      snapshot.paymentIntentId,
      snapshot.hostedInvoiceUrl,
      snapshot.invoicePdf,
      instantOf(snapshot.periodStartS),
      instantOf(snapshot.periodEndS),
      snapshot.description,
      firstFailedAt,
      lastFailedAt,
      instantOf(snapshot.paidAtS),
      version.created,
      version.eventId,
      instantOf(snapshot.createdS),
    ],
  )
}
