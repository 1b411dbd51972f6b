import { isJsonObject } from '../../../core/kernel/json/json.ts'
import { between, digits, drawnTask, oneOf, two, type DrawnTask } from '../drawn-task.ts'

const NAMES = [
  'Ada Byron',
  'Ben Okri',
  'Cleo Marsh',
  'Dev Rao',
  'Eva Lind',
  'Finn Hale',
  'Gia Russo',
  'Hugo Baas',
  'Ines Prat',
  'Jon Vik',
]
const FIRMS = [
  'Altmark',
  'Brightwell',
  'Corvane',
  'Dunmore',
  'Elvering',
  'Fairholm',
  'Grantley',
  'Hollis',
  'Inverness',
  'Junora',
]
const UNITS = ['kg', 'g', 'l', 'ml', 'm', 'cm']

/** Values that stand in a text. */
export const EXTRACTION: readonly DrawnTask[] = [
  drawnTask(
    'extraction',
    'invoice number',
    (random) => ({ firm: oneOf(random, FIRMS), number: `INV-${digits(random, 5)}`, day: between(random, 1, 28) }),
    ({ firm, number, day }) => ({ text: `${firm} sent invoice ${number} on day ${day}`, number }),
  ),
  drawnTask(
    'extraction',
    'amount with its currency',
    (random) => ({
      amount: `${between(random, 1, 900)}.${two(between(random, 0, 99))}`,
      currency: oneOf(random, ['EUR', 'USD', 'CHF']),
      firm: oneOf(random, FIRMS),
    }),
    ({ amount, currency, firm }) => ({
      text: `Total due to ${firm}: ${currency} ${amount} within 30 days`,
      number: `${amount} ${currency}`,
    }),
  ),
  drawnTask(
    'extraction',
    'address of a mail',
    (random) => ({
      name: oneOf(random, NAMES),
      firm: oneOf(random, FIRMS),
      word: oneOf(random, ['Write to', 'Contact', 'Reply to', 'Ask']),
    }),
    ({ name, firm, word }) => {
      const address = `${name.toLowerCase().replace(' ', '.')}@${firm.toLowerCase()}.example`
      return { text: `${word} ${name} (${address}) by Friday`, number: address }
    },
  ),
  drawnTask(
    'extraction',
    'quantity with its unit',
    (random) => ({ n: between(random, 1, 5000), unit: oneOf(random, UNITS), firm: oneOf(random, FIRMS) }),
    ({ n, unit, firm }) => ({ text: `${firm} ordered ${n} ${unit} of flour`, number: `${n} ${unit}` }),
  ),
  drawnTask(
    'extraction',
    'date of a letter',
    (random) => ({
      day: between(random, 1, 28),
      month: between(random, 1, 12),
      year: between(random, 2001, 2026),
      name: oneOf(random, NAMES),
    }),
    ({ day, month, year, name }) => ({
      text: `Signed by ${name}, ${two(day)}.${two(month)}.${year}, in two copies`,
      number: `${year}-${two(month)}-${two(day)}`,
    }),
  ),
  drawnTask(
    'extraction',
    'sender and receiver',
    (random) => ({ from: oneOf(random, NAMES), to: oneOf(random, FIRMS), n: between(random, 100, 999) }),
    ({ from, to, n }) => ({ text: `Parcel ${n} from ${from} to ${to}`, number: JSON.stringify({ from, to }) }),
  ),
  drawnTask(
    'extraction',
    'last four digits of a card',
    (random) => ({ a: digits(random, 4), b: digits(random, 4), name: oneOf(random, NAMES) }),
    ({ a, b, name }) => ({ text: `Card of ${name}: ${a} **** **** ${b}`, number: b }),
  ),
].map(fromText)

/** A row whose input is the text and whose output is what is to be found in it. */
function fromText(task: DrawnTask): DrawnTask {
  return {
    ...task,
    draw(random) {
      const { output } = task.draw(random)
      if (!isJsonObject(output)) throw new TypeError('not a text')
      const { text = null, number = null } = output
      return { input: text, output: typeof number === 'string' && number.startsWith('{') ? JSON.parse(number) : number }
    },
  }
}
