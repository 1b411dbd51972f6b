import { MONTH_NAMES } from '../../core/compile/language/primitives/dates/date-text.ts'
import type { Random } from '../../core/model/random.ts'
import { WEEKDAYS } from '../tasks/sources.ts'
import { between, drawnTask, oneOf, two, type DrawnTask } from './drawn-task.ts'

const iso = (random: Random): string =>
  `${between(random, 2015, 2026)}-${two(between(random, 1, 12))}-${two(between(random, 1, 28))}`
const partsOf = (date: string): { year: string; month: string; day: string } => ({
  year: date.slice(0, 4),
  month: date.slice(5, 7),
  day: date.slice(8, 10),
})
const monthOf = (date: string): string => MONTH_NAMES[Number(partsOf(date).month) - 1] ?? ''
const dayOf = (date: string): Date => new Date(`${date}T00:00:00Z`)
const plain = (date: Date): string => date.toISOString().slice(0, 10)
const moved = (date: string, days: number): string => plain(new Date(dayOf(date).getTime() + days * 86_400_000))

/** Dates written, moved and measured. */
export const dateTasks: readonly DrawnTask[] = [
  drawnTask('dates', 'iso to day/month/year', iso, (d) => {
    const { year, month, day } = partsOf(d)
    return `${day}/${month}/${year}`
  }),
  drawnTask('dates', 'iso to words', iso, (d) => `${Number(partsOf(d).day)} ${monthOf(d)} ${partsOf(d).year}`),
  drawnTask(
    'dates',
    'words to iso',
    (r) => {
      const date = iso(r)
      return `${monthOf(date)} ${Number(partsOf(date).day)}, ${partsOf(date).year}`
    },
    (t) => {
      const [month = '', day = '', year = ''] = t.replace(',', '').split(' ')
      return `${year}-${two(MONTH_NAMES.indexOf(month) + 1)}-${two(Number(day))}`
    },
  ),
  drawnTask('dates', 'quarter', iso, (d) => `Q${Math.ceil(Number(partsOf(d).month) / 3)} ${partsOf(d).year}`),
  drawnTask('dates', 'weekday', iso, (d) => WEEKDAYS[dayOf(d).getUTCDay()] ?? ''),
  drawnTask('dates', 'due in thirty days', iso, (d) => moved(d, 30)),
  drawnTask(
    'dates',
    'days between',
    (r) => {
      const from = iso(r)
      return { from, to: moved(from, between(r, 1, 90)) }
    },
    ({ from, to }) => Math.round((dayOf(to).getTime() - dayOf(from).getTime()) / 86_400_000),
  ),
  drawnTask('dates', 'weekend or not', iso, (d) => ([0, 6].includes(dayOf(d).getUTCDay()) ? 'weekend' : 'weekday')),
  drawnTask('dates', 'short month', iso, (d) => `${monthOf(d).slice(0, 3)}-${partsOf(d).year.slice(2)}`),
  drawnTask(
    'dates',
    'time to twelve hours',
    (r) => `${two(between(r, 0, 23))}:${two(between(r, 0, 59))}`,
    (t) => {
      const hour = Number(t.slice(0, 2))
      return `${hour % 12 === 0 ? 12 : hour % 12}:${t.slice(3)} ${hour < 12 ? 'AM' : 'PM'}`
    },
  ),
  drawnTask(
    'dates',
    'two forms of a date',
    (r) => {
      const date = iso(r)
      const { year, month, day } = partsOf(date)
      return oneOf(r, [date, `${day}.${month}.${year}`])
    },
    (t) => (t.includes('.') ? t.split('.').toReversed().join('-') : t),
  ),
]
