import type { Template } from './template.ts'

const ITEMS = ['paper A4', 'ink black', 'desk lamp', 'cable 2m', 'folder blue', 'stapler', 'note pad', 'tape clear']

/** 48 made-up invoice lines with number, item and amount. */
const examples = Array.from({ length: 48 }, (_, index) => {
  const number = `INV-${4000 + index * 13}`
  const item = ITEMS[index % ITEMS.length] ?? ''
  const amount = `${3 + ((index * 17) % 240)}.${String((index * 29) % 100).padStart(2, '0')}`
  return { input: `${number} | ${item} | EUR ${amount}`, output: { invoice: number, item, amount } }
})

export const INVOICE_LINES: Template = {
  id: 'invoice-line-parser',
  name: 'Invoice lines as records',
  description: 'Lines of an invoice become objects with number, item and amount.',
  task: 'Read an invoice line such as INV-4000 | paper A4 | EUR 3.00 into invoice, item and amount',
  keywords: ['invoice', 'bill', 'receipt', 'line', 'amount', 'price', 'parse', 'extract', 'object', 'record', 'json'],
  examples,
}
