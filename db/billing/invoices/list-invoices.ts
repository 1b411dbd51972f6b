import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { Invoice } from './invoice.ts'

const COLUMNS = [
  'id',
  'tenant_id as tenantId',
  'kind',
  'number',
  'amount_paid_cents as amountPaidCents',
  'currency',
  'status',
  'customer_id as customerId',
  'subscription_id as subscriptionId',
  'charge_id as chargeId',
  'payment_intent_id as paymentIntentId',
  'hosted_invoice_url as hostedInvoiceUrl',
  'invoice_pdf as invoicePdf',
  'period_start as periodStart',
  'period_end as periodEnd',
  'description',
  'first_failed_at as firstFailedAt',
  'last_failed_at as lastFailedAt',
  'paid_at as paidAt',
  'event_created as eventCreated',
  'event_id as eventId',
  'created_at as createdAt',
] as const

/** Lists the tenant's invoices and refunds, newest first. Throws `invalid_cursor`. */
export async function listInvoices(op: Operation, input: PageRequest): Promise<Page<Invoice>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await op.read((q) =>
    q
      .selectFrom('invoices')
      .select(COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('created_at', '<=', at)
      .where((of) => of.or([of('created_at', '<', at), of('id', '<', after.id)]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}

/** Counts the tenant's invoices and refunds. */
export async function countInvoices(op: Operation): Promise<number> {
  const [row] = await op.read((q) =>
    q.selectFrom('invoices').select(q.fn.countAll<number>().as('total')).where('tenant_id', '=', op.tenantId),
  )
  return row?.total ?? 0
}
