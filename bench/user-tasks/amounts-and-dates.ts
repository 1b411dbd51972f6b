import type { Random } from '../../core/model/random.ts'
import { between, digits, drawnTask, happens, oneOf, two, type DrawnTask } from '../small-sets/drawn-task.ts'
import { FRENCH_MONTHS, GERMAN_MONTHS, MONTHS } from './words.ts'

const day = (random: Random) => ({
  d: between(random, 1, 28),
  m: between(random, 1, 12),
  y: between(random, 1995, 2029),
})
const iso = (random: Random): string => {
  const { d, m, y } = day(random)
  return `${y}-${two(m)}-${two(d)}`
}
const dotted = (random: Random): string => {
  const { d, m, y } = day(random)
  return `${d}.${m}.${y}`
}
const cents = (random: Random): number =>
  oneOf(random, [between(random, 5, 99_999), between(random, 100_000, 9_999_999), between(random, 1000, 99_999)])
const inGroups = (whole: number, mark: string): string => String(whole).replace(/\B(?=(\d{3})+$)/g, mark)
const euro = (random: Random): string => {
  const amount = cents(random)
  return `${inGroups(Math.floor(amount / 100), '.')},${two(amount % 100)} €`
}
const dollar = (random: Random): string => {
  const amount = cents(random)
  return `$${inGroups(Math.floor(amount / 100), ',')}.${two(amount % 100)}`
}
const part = (text: string, at: number, by = '-'): number => Number(text.split(by)[at])

/** Amounts and dates in the formats of several countries. */
export const amountAndDateTasks: readonly DrawnTask[] = [
  drawnTask('amounts', 'euro to a plain decimal', euro, (a) => a.replace(/[.€ ]/g, '').replace(',', '.')),
  drawnTask('amounts', 'dollar to euro marks', dollar, (a) =>
    a.slice(1).replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ',')),
  ),
  drawnTask('amounts', 'dollar to a number', dollar, (a) => Number(a.replace(/[$,]/g, ''))),
  drawnTask(
    'amounts',
    'cents to dollars',
    (r) => String(cents(r)),
    (c) => `$${Math.floor(Number(c) / 100)}.${c.padStart(3, '0').slice(-2)}`,
  ),
  drawnTask(
    'amounts',
    'Swiss price',
    (r) => `CHF ${inGroups(between(r, 1, 99_999), "'")}.${oneOf(r, ['00', '50', '05', '95'])}`,
    (a) => `${a.slice(4).replace(/'/g, '')} CHF`,
  ),
  drawnTask(
    'amounts',
    'debit and credit',
    (r) => `${digits(r, between(r, 1, 4))}.${two(between(r, 0, 99))} ${oneOf(r, ['DR', 'CR'])}`,
    (a) => (a.endsWith('DR') ? `-${a.slice(0, -3)}` : a.slice(0, -3)),
  ),
  drawnTask(
    'amounts',
    'price with tax',
    (r) => ({ net: between(r, 1, 900), rate: 20 }),
    ({ net }) => Math.round(net * 120) / 100,
  ),
  drawnTask(
    'amounts',
    'thousands in short',
    (r) => between(r, 1, 950) * 1000 + oneOf(r, [0, 500]),
    (n) => `${n / 1000}k`,
  ),
  drawnTask('dates', 'ISO to American', iso, (t) => `${part(t, 1)}/${part(t, 2)}/${part(t, 0)}`),
  drawnTask('dates', 'ISO to long English', iso, (t) => `${MONTHS[part(t, 1) - 1] ?? ''} ${part(t, 2)}, ${part(t, 0)}`),
  drawnTask(
    'dates',
    'German dots to ISO',
    dotted,
    (t) => `${part(t, 2, '.')}-${two(part(t, 1, '.'))}-${two(part(t, 0, '.'))}`,
  ),
  drawnTask(
    'dates',
    'German month names to ISO',
    (r) => {
      const { d, m, y } = day(r)
      return `${d}. ${GERMAN_MONTHS[m - 1] ?? ''} ${y}`
    },
    (t) => {
      const [d = '', m = '', y = ''] = t.split(' ')
      return `${y}-${two(GERMAN_MONTHS.findIndex((name) => name === m) + 1)}-${d.slice(0, -1).padStart(2, '0')}`
    },
  ),
  drawnTask(
    'dates',
    'French date to slashes',
    (r) => {
      const { d, m, y } = day(r)
      return `${d} ${FRENCH_MONTHS[m - 1] ?? ''} ${y}`
    },
    (t) => {
      const [d = '', m = '', y = ''] = t.split(' ')
      return `${d.padStart(2, '0')}/${two(FRENCH_MONTHS.findIndex((name) => name === m) + 1)}/${y}`
    },
  ),
  drawnTask('dates', 'quarter of an ISO date', iso, (t) => `Q${Math.ceil(part(t, 1) / 3)} ${part(t, 0)}`),
  drawnTask(
    'dates',
    'day of a time stamp',
    (r) => `${iso(r)}T${two(between(r, 0, 23))}:${two(between(r, 0, 59))}:${two(between(r, 0, 59))}Z`,
    (t) => `${t.slice(8, 10)}.${t.slice(5, 7)}.${t.slice(0, 4)} ${t.slice(11, 16)}`,
  ),
  drawnTask(
    'dates',
    'half-day time to 24 hours',
    (r) => `${between(r, 1, 12)}:${two(between(r, 0, 59))} ${oneOf(r, ['AM', 'PM'])}`,
    (t) => {
      const [, h = '', m = '', half = ''] = /(\d+):(\d+) (\w+)/.exec(t) ?? []
      return `${two((Number(h) % 12) + (half === 'PM' ? 12 : 0))}:${m}`
    },
  ),
  drawnTask(
    'dates',
    'two-digit year',
    (r) => {
      const { d, m, y } = day(r)
      return `${two(m)}/${two(d)}/${two(y % 100)}`
    },
    (t) => `${Number(t.slice(6)) >= 70 ? '19' : '20'}${t.slice(6)}-${t.slice(0, 2)}-${t.slice(3, 5)}`,
  ),
  drawnTask(
    'dates',
    'minutes to hours',
    (r) => between(r, 5, 900),
    (n) => `${Math.floor(n / 60)}h ${two(n % 60)}m`,
  ),
  drawnTask(
    'dates',
    'date out of a sentence',
    (r) => {
      const { d, m, y } = day(r)
      return `${oneOf(r, ['Due by', 'Please pay before', 'Delivered on'])} ${MONTHS[m - 1] ?? ''} ${d}, ${y}${happens(r, 50) ? '.' : ' at the latest.'}`
    },
    (t) => {
      const [, name = '', d = '', y = ''] = /(\w+) (\d+), (\d{4})/.exec(t) ?? []
      return `${y}-${two(MONTHS.findIndex((one) => one === name) + 1)}-${two(Number(d))}`
    },
  ),
]
