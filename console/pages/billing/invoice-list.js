import { html } from 'htm/preact'
import { get, withQuery } from '../../api.js'
import { usePage } from '../../app/use-page.js'
import { Badge } from '../../parts/badge.js'
import { formatDay, formatMoney } from '../../parts/format.js'
import { usePaged } from '../../parts/read/use-paged.js'
import { Table } from '../../parts/table/table.js'

/** @typedef {import('zod').output<typeof import('../../../core/billing/wire/invoices.ts').InvoiceView>} Invoice */

/** The invoices and refunds of the account. */
export function InvoiceList() {
  const { signal } = usePage()
  const invoices = usePaged(async (cursor) => {
    /** @type {{ invoices: readonly Invoice[], next_cursor: string | null }} */
    const page = await get(withQuery('/v1/account/invoices', { limit: 25, cursor }), signal)
    return { items: page.invoices, next: page.next_cursor }
  }, [])
  return html`<${Table}
    caption="Invoices and refunds, newest first"
    paged=${invoices}
    empty="No invoices yet."
    keyOf=${(/** @type {Invoice} */ { id }) => id}
    columns=${COLUMNS}
  />`
}

/** @type {readonly import('../../parts/table/table.js').Column<Invoice>[]} */
const COLUMNS = [
  { title: 'Number', cell: ({ number, id }) => html`<code>${number ?? id}</code>` },
  { title: 'What', cell: ({ kind, description }) => description ?? kind, isWide: true },
  { title: 'Date', cell: ({ created_at: at }) => formatDay(at), sort: ({ created_at: at }) => at },
  {
    title: 'Amount',
    cell: ({ amount_paid_cents: cents, currency }) => formatMoney(cents, currency),
    sort: ({ amount_paid_cents: cents }) => cents,
    isNumeric: true,
  },
  { title: 'Status', cell: ({ status }) => html`<${Badge} status=${status} />` },
  {
    title: '',
    cell: ({ number, id, hosted_invoice_url: page, invoice_pdf: pdf }) =>
      html`<span class="buttons">
        <${OutsideLink} url=${page} text="Open" of=${number ?? id} /><${OutsideLink}
          url=${pdf}
          text="PDF"
          of=${number ?? id}
        />
      </span>`,
  },
]

/** @param {{ url: string | null, text: string, of: string }} props `url` of the payment processor */
function OutsideLink({ url, text, of }) {
  // The address comes from the payment processor; only a web address becomes a link.
  if (url === null || !/^https?:\/\//.test(url)) return null
  return html`<a href=${url} rel="noreferrer" aria-label="${text} ${of}">${text}</a>`
}
