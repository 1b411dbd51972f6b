import type { InvoiceSnapshot } from '../../../../core/billing/events/events.ts'
import { earlier, invoiceRank, later, supersedes, type Version } from '../../../../core/billing/events/fold.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { instantOf } from './instant.ts'

/** Applies an invoice. Its failures are kept whatever follows: reminders count from them. */
export async function applyInvoice(
  tx: Transaction,
  op: Operation,
  snapshot: InvoiceSnapshot,
  version: Version,
): Promise<void> {
  const held = await tx.q
    .selectFrom('invoices')
    .select([
      'status',
      'event_created as created',
      'event_id as eventId',
      'first_failed_at as firstFailedAt',
      'last_failed_at as lastFailedAt',
    ])
    .where('id', '=', snapshot.id)
    .where('tenant_id', '=', op.tenantId)
    .executeTakeFirst()
  const failedAt = instantOf(snapshot.failedAtS)
  const firstFailedAt = earlier(held?.firstFailedAt ?? null, failedAt)
  const lastFailedAt = later(held?.lastFailedAt ?? null, failedAt)
  const isNewer =
    held === undefined ||
    supersedes({ rank: invoiceRank(snapshot.status), version }, { rank: invoiceRank(held.status), version: held })
  if (!isNewer) {
    await tx.q
      .updateTable('invoices')
      .set({ first_failed_at: firstFailedAt, last_failed_at: lastFailedAt })
      .where('id', '=', snapshot.id)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    return
  }
  await tx.q
    .insertInto('invoices')
    .values({
      id: snapshot.id,
      tenant_id: op.tenantId,
      kind: 'invoice',
      number: snapshot.number,
      amount_paid_cents: snapshot.amountPaidCents,
      currency: snapshot.currency,
      status: snapshot.status,
      customer_id: snapshot.customerId,
      subscription_id: snapshot.subscriptionId,
      charge_id: snapshot.chargeId,
      payment_intent_id: snapshot.paymentIntentId,
      hosted_invoice_url: snapshot.hostedInvoiceUrl,
      invoice_pdf: snapshot.invoicePdf,
      period_start: instantOf(snapshot.periodStartS),
      period_end: instantOf(snapshot.periodEndS),
      description: snapshot.description,
      first_failed_at: firstFailedAt,
      last_failed_at: lastFailedAt,
      paid_at: instantOf(snapshot.paidAtS),
      event_created: version.created,
      event_id: version.eventId,
      created_at: instantOf(snapshot.createdS),
    })
    .onConflict((on) =>
      on
        .column('id')
        .doUpdateSet({
          number: (of) => of.ref('excluded.number'),
          amount_paid_cents: (of) => of.ref('excluded.amount_paid_cents'),
          currency: (of) => of.ref('excluded.currency'),
          status: (of) => of.ref('excluded.status'),
          customer_id: (of) => of.ref('excluded.customer_id'),
          subscription_id: (of) => of.ref('excluded.subscription_id'),
          charge_id: (of) => of.ref('excluded.charge_id'),
          payment_intent_id: (of) => of.ref('excluded.payment_intent_id'),
          hosted_invoice_url: (of) => of.ref('excluded.hosted_invoice_url'),
          invoice_pdf: (of) => of.ref('excluded.invoice_pdf'),
          period_start: (of) => of.ref('excluded.period_start'),
          period_end: (of) => of.ref('excluded.period_end'),
          description: (of) => of.ref('excluded.description'),
          first_failed_at: (of) => of.ref('excluded.first_failed_at'),
          last_failed_at: (of) => of.ref('excluded.last_failed_at'),
          paid_at: (of) => of.ref('excluded.paid_at'),
          event_created: (of) => of.ref('excluded.event_created'),
          event_id: (of) => of.ref('excluded.event_id'),
          created_at: (of) => of.ref('excluded.created_at'),
        })
        .whereRef('invoices.tenant_id', '=', 'excluded.tenant_id'),
    )
    .execute()
}
