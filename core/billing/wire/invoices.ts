import { z } from 'zod'
import { NextCursor } from '../../kernel/wire/page.ts'

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

/** Answer of `GET /v1/account/invoices`. */
export const ListInvoicesAnswer = z.object({ invoices: z.array(InvoiceView), total: z.int(), next_cursor: NextCursor })
