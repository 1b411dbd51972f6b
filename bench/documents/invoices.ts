import type { Random } from '../../core/model/random.ts'
import { between, digits, happens, oneOf } from '../small-sets/drawn-task.ts'
import { CITIES, FIRMS, ITEMS, LAST_NAMES, STREETS, TAGS } from '../small-sets/words.ts'
import { contact, type Document, documentTask, isoDay, money, namedDay, paragraph, some } from './document-task.ts'

interface Item {
  readonly sku: string
  readonly description: string
  readonly quantity: string
  readonly price: string
}

interface Invoice {
  readonly number: string
  readonly date: string
  readonly due: string
  readonly total: string
  readonly vat: string | null
  readonly client: string
  readonly address: string
  readonly items: readonly Item[]
  readonly discount: string | null
}

function drawInvoice(random: Random): Invoice {
  const items = some(random, 30, 400, () => ({
    sku: `${oneOf(random, ['A', 'B', 'C'])}${digits(random, 5)}`,
    description: `${oneOf(random, TAGS)} ${oneOf(random, ITEMS)}${happens(random, 30) ? `, ${oneOf(random, TAGS)}` : ''}`,
    quantity: String(between(random, 1, 60)),
    price: money(random, 1, 2000),
  }))
  return {
    number: `${between(random, 2019, 2025)}/${digits(random, 5)}`,
    date: namedDay(random),
    due: namedDay(random),
    total: money(random, 1000, 900_000),
    vat: happens(random, 60) ? `DE${digits(random, 9)}` : null,
    client: `${oneOf(random, LAST_NAMES)} & ${oneOf(random, LAST_NAMES)} Ltd`,
    address: some(random, 2, 3, (at) =>
      at === 0
        ? `${between(random, 1, 99)} ${oneOf(random, STREETS)}`
        : `${oneOf(random, CITIES)} ${digits(random, 5)}`,
    ).join('\n'),
    items,
    discount: happens(random, 50) ? money(random, 1, 90) : null,
  }
}

/** An invoice in columns, over several pages. */
function printedInvoice(random: Random): Document<Invoice> {
  const facts = drawInvoice(random)
  const lines = [
    `${oneOf(random, FIRMS).toUpperCase()} TRADING`.padStart(60),
    `${between(random, 1, 99)} ${oneOf(random, STREETS)}, ${oneOf(random, CITIES)}`.padStart(60),
    '',
    'INVOICE',
    `Invoice no.: ${facts.number}`,
    `Date: ${facts.date}`,
    `Payable until: ${facts.due}`,
    ...(facts.vat === null ? [] : [`VAT ID: ${facts.vat}`]),
    '',
    'Bill to',
    facts.client,
    facts.address,
    '',
    ...some(random, 1, 10, () => `${paragraph(random)}\n`),
  ]
  const head = `${'Item'.padEnd(10)}${'Description'.padEnd(32)}${'Qty'.padStart(5)}${'Price'.padStart(12)}`
  for (const [at, item] of facts.items.entries()) {
    if (at % 45 === 0) {
      if (at > 0) lines.push('', `Page ${at / 45} of ${Math.ceil(facts.items.length / 45)}`, '')
      lines.push(head, '-'.repeat(head.length))
    }
    lines.push(
      `${item.sku.padEnd(10)}${item.description.padEnd(32)}${item.quantity.padStart(5)}${item.price.padStart(12)}`,
    )
  }
  lines.push(
    '-'.repeat(head.length),
    `Net amount${money(random, 900, 800_000).padStart(49)}`,
    ...(facts.discount === null ? [] : [`Discount${facts.discount.padStart(51)}`]),
    `TOTAL EUR${facts.total.padStart(50)}`,
    '',
    ...some(random, 10, 120, () => `${paragraph(random)}\n`),
    `Account holder: ${contact(random).name}`,
    `IBAN: DE${digits(random, 20)}`,
  )
  return { text: lines.join('\n'), facts }
}

interface Statement {
  readonly holder: string
  readonly iban: string
  readonly closing: string
  readonly bookings: readonly { readonly date: string; readonly text: string; readonly amount: string }[]
}

/** A bank statement: bookings of one or two lines each. */
function statement(random: Random): Document<Statement> {
  const holder = contact(random).name
  const iban = `GB${digits(random, 2)}NWBK${digits(random, 14)}`
  const closing = money(random, 100, 90_000)
  const bookings = some(random, 90, 900, () => ({
    date: isoDay(random),
    text: `${oneOf(random, ['Card payment', 'Transfer from', 'Direct debit', 'Refund'])} ${oneOf(random, FIRMS)}`,
    amount: `${happens(random, 70) ? '-' : '+'}${money(random, 1, 3000)}`,
  }))
  const text = [
    `Statement of account\nHolder: ${holder}\nIBAN: ${iban}\nOpening balance: ${money(random)} GBP\n`,
    paragraph(random),
    '',
    ...bookings.map((one) => {
      const second = happens(random, 50) ? `\n            ref ${digits(random, 9)} ${oneOf(random, CITIES)}` : ''
      return `${one.date}  ${one.text} | ${one.amount} GBP${second}`
    }),
    '',
    `Closing balance: ${closing} GBP`,
    paragraph(random),
  ].join('\n')
  return { text, facts: { holder, iban, closing, bookings } }
}

/** Facts out of invoices and statements. */
export const INVOICES = [
  documentTask('invoices', 'total of an invoice', printedInvoice, ({ total }) => total),
  documentTask('invoices', 'head of an invoice', printedInvoice, ({ number, date, due, vat }) =>
    vat === null ? { number, date, due } : { number, date, due, vat },
  ),
  documentTask('invoices', 'address of a client', printedInvoice, ({ address }) => address),
  documentTask('invoices', 'codes of all items', printedInvoice, ({ items }) => items.map(({ sku }) => sku)),
  documentTask('invoices', 'items with their prices', printedInvoice, ({ items }) =>
    items.map(({ description, quantity, price }) => ({ description, quantity, price })),
  ),
  documentTask('invoices', 'closing balance', statement, ({ closing, iban }) => ({ iban, closing })),
  documentTask('invoices', 'bookings of a statement', statement, ({ bookings }) =>
    bookings.map(({ date, amount }) => ({ date, amount })),
  ),
]
