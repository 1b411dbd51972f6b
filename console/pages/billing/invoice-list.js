import { get, withQuery } from '../../api.js'
import { badge } from '../../parts/badge.js'
import { element } from '../../parts/dom.js'
import { formatDay, formatMoney } from '../../parts/format.js'
import { pagedList } from '../../parts/paged-list.js'
import { table } from '../../parts/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/invoices.ts').InvoiceView>} Invoice */

/**
 * @param {AbortSignal} signal
 * @param {(error: unknown) => void} onError
 */
export async function invoiceList(signal, onError) {
  return await pagedList({
    read: async (cursor) => {
      /** @type {{ invoices: readonly Invoice[], next_cursor: string | null }} */
      const page = await get(withQuery('/v1/account/invoices', { limit: 25, cursor }), signal)
      return { items: page.invoices, next: page.next_cursor }
    },
    show: (invoices) =>
      table({
        caption: 'Invoices and refunds, newest first',
        rows: invoices,
        empty: 'No invoices yet.',
        columns: [
          { title: 'Number', cell: ({ number, id }) => element('code', {}, number ?? id) },
          { title: 'What', cell: ({ kind, description }) => description ?? kind, isWide: true },
          { title: 'Date', cell: ({ created_at: at }) => formatDay(at) },
          {
            title: 'Amount',
            cell: ({ amount_paid_cents: cents, currency }) => formatMoney(cents, currency),
            isNumeric: true,
          },
          { title: 'Status', cell: ({ status }) => badge(status) },
          { title: '', cell: (invoice) => links(invoice) },
        ],
      }),
    onError,
  })
}

/** @param {Invoice} invoice */
function links({ number, id, hosted_invoice_url: page, invoice_pdf: pdf }) {
  return element('span', { class: 'buttons' }, linkTo(page, 'Open', number ?? id), linkTo(pdf, 'PDF', number ?? id))
}

/**
 * @param {string | null} url of the payment processor
 * @param {string} text
 * @param {string} of
 */
function linkTo(url, text, of) {
  // The address comes from the payment processor; only a web address becomes a link.
  if (url === null || !/^https?:\/\//.test(url)) return undefined
  return element('a', { href: url, rel: 'noreferrer', 'aria-label': `${text} ${of}` }, text)
}
