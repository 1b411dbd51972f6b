import type { Json } from '../../core/kernel/json/json.ts'
import type { Random } from '../../core/model/random.ts'
import { between, type DrawnTask, oneOf, two } from '../small-sets/drawn-task.ts'
import { FIRMS, FIRST_NAMES, LAST_NAMES, TLDS } from '../small-sets/words.ts'

/** A text with the facts that it was written from. */
export interface Document<F> {
  readonly text: string
  readonly facts: F
}

/** Makes a task of documents of one kind: the input is the text, the output a choice of its facts. */
export function documentTask<F>(
  subject: string,
  name: string,
  write: (random: Random) => Document<F>,
  choose: (facts: F) => Json,
): DrawnTask {
  return {
    name,
    subject,
    draw: (random) => {
      const { text, facts } = write(random)
      return { input: text, output: choose(facts) }
    },
  }
}

/** As many items as a draw from `low` to `high` gives. */
export function some<T>(random: Random, low: number, high: number, make: (at: number) => T): T[] {
  return Array.from({ length: between(random, low, high) }, (_, at) => make(at))
}

const OPENINGS = [
  'The team reviewed',
  'We have updated',
  'Several customers asked about',
  'Nothing changed in',
  'A short note on',
  'Please look again at',
  'Last week we moved',
  'Some of us still prefer',
  'Two people tested',
  'It took a while to repair',
] as const
const TOPICS = [
  'the shipping rules for the northern depot',
  'the order of the warehouse shelves',
  'the monthly report and its appendix',
  'the contract with the printing house',
  'how returns are counted',
  'the delivery window on Fridays',
  'the shared calendar',
  'the spare parts for the older machines',
  'the notes from the visit in Porto',
  'the price list (2nd edition)',
] as const
const ENDINGS = [
  'and found no problem.',
  'before the end of the month.',
  'which costs 12.50 more than planned.',
  'as agreed on 3 May.',
  'so that the numbers add up.',
  'but the total is still open.',
  'and sent the result to everybody.',
  'although the date may change.',
  'with 4 or 5 exceptions.',
  'and that is all for now.',
] as const

/** A sentence that carries no fact of a document. */
export function sentence(random: Random): string {
  return `${oneOf(random, OPENINGS)} ${oneOf(random, TOPICS)} ${oneOf(random, ENDINGS)}`
}

/** A paragraph of some sentences in one line. */
export function paragraph(random: Random, low = 2, high = 6): string {
  return some(random, low, high, () => sentence(random)).join(' ')
}

/** A person with an address. */
export function contact(random: Random): { readonly name: string; readonly address: string; readonly first: string } {
  const first = oneOf(random, FIRST_NAMES)
  const last = oneOf(random, LAST_NAMES)
  const address = `${first.toLowerCase()}.${last.toLowerCase()}@${oneOf(random, FIRMS)}.${oneOf(random, TLDS)}`
  return { name: `${first} ${last}`, address, first }
}

/** A day in a year, as `2024-03-09`. */
export function isoDay(random: Random, low = 2019, high = 2025): string {
  return `${between(random, low, high)}-${two(between(random, 1, 12))}-${two(between(random, 1, 28))}`
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const

/** A day with a short month name, as `9 Mar 2024`. */
export function namedDay(random: Random): string {
  return `${between(random, 1, 28)} ${oneOf(random, MONTHS)} ${between(random, 2019, 2025)}`
}

/** A date of a mail header. */
export function mailDate(random: Random): string {
  return `${oneOf(random, DAYS)}, ${namedDay(random)} ${clock(random)} +0${between(random, 0, 3)}00`
}

/** A time of day with seconds. */
export function clock(random: Random): string {
  return `${two(between(random, 0, 23))}:${two(between(random, 0, 59))}:${two(between(random, 0, 59))}`
}

/** An IPv4 address. */
export function ip(random: Random): string {
  return some(random, 4, 4, () => between(random, 1, 254)).join('.')
}

const HEX = '0123456789abcdef'

/** Hexadecimal digits. */
export function hex(random: Random, count: number): string {
  return some(random, count, count, () => HEX.charAt(random.below(HEX.length))).join('')
}

/** An amount with two decimals and groups of thousands. */
export function money(random: Random, low = 1, high = 9000): string {
  const whole = String(between(random, low, high)).replace(/(\d)(?=(\d{3})+$)/g, '$1,')
  return `${whole}.${two(between(random, 0, 99))}`
}
