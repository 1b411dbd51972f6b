import { z } from 'zod'
import type { Invoice } from '../../db/billing/invoices/invoice.ts'
import { countInvoices, listInvoices } from '../../db/billing/invoices/list-invoices.ts'
import { envelope } from '../kernel/reply/answers.ts'
import { defineRoute } from './services.ts'
import { NextCursor, pageOf } from '../kernel/schemas/page.ts'

/** A line of the ledger, as its tenant sees it. */
export const InvoiceView = z
  .object({
    id: z.string(),
    number: z.string().nullable(),
    amount_paid_cents: z.int().meta({ description: 'Negative for a refund' }),
    currency: z.string(),
    status: z.string(),
    kind: z.enum(['invoice', 'refund']),
    hosted_invoice_url: z.string().nullable(),
    invoice_pdf: z.string().nullable(),
    period_start: z.iso.datetime().nullable(),
    period_end: z.iso.datetime().nullable(),
    description: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Invoice' })

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
  summary: 'Invoices and refunds, newest first',
  auth: 'key',
  scope: 'billing:read',
  namespace: 'refused',
  query: pageOf(50),
  answers: {
    200: envelope(
      'A page of them',
      z.object({ invoices: z.array(InvoiceView), total: z.int(), next_cursor: NextCursor }),
    ),
  },
  errors: ['invalid_cursor'],
}).handle(async ({ op, query }) => {
  const [page, total] = await Promise.all([listInvoices(op, query), countInvoices(op)])
  return {
    status: 200,
    body: { invoices: page.items.map(presentInvoice), total, next_cursor: page.nextCursor },
  }
})
