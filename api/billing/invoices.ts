import type { z } from 'zod'
import type { Invoice } from '../../db/billing/invoices/invoice.ts'
import { countInvoices, listInvoices } from '../../db/billing/invoices/list-invoices.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { pageOf } from '../../core/kernel/wire/page.ts'
import { type InvoiceView, ListInvoicesAnswer } from '../../core/billing/wire/invoices.ts'
import { defineRoute } from './services.ts'

/** The fields of an invoice that its tenant may see. */
export function presentInvoice(invoice: Invoice): z.input<typeof InvoiceView> {
  return {
    id: invoice.id,
    number: invoice.number ?? null,
    amount_paid_cents: invoice.amountPaidCents,
    currency: invoice.currency,
    status: invoice.status,
    kind: invoice.kind,
    hosted_invoice_url: invoice.hostedInvoiceUrl ?? null,
    invoice_pdf: invoice.invoicePdf ?? null,
    period_start: invoice.periodStart?.toISOString() ?? null,
    period_end: invoice.periodEnd?.toISOString() ?? null,
    description: invoice.description ?? null,
    created_at: invoice.createdAt.toISOString(),
  }
}

export const listInvoicesRoute = defineRoute({
  method: 'get',
  path: '/v1/account/invoices',
  operationId: 'listInvoices',
  group: 'accounts',
  summary: 'List invoices and refunds, newest first',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  query: pageOf(50),
  answers: {
    200: envelope('A page of them', ListInvoicesAnswer),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const [page, total] = await Promise.all([listInvoices(op, query), countInvoices(op)])
  return {
    status: 200,
    body: { invoices: page.items.map(presentInvoice), total, next_cursor: page.nextCursor },
  }
})
