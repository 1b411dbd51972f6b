import { MONTH_NAMES } from '../../../core/compile/language/primitives/dates/date-text.ts'
import { dateParts, ISO_DATES, monthName, utcDay, WEEKDAYS } from '../sources.ts'
import { defineTask } from '../task.ts'

const part = (d: string) => dateParts(d)
const short = (d: string) => monthName(Number(part(d).month)).slice(0, 3)
const ordinal = (n: number) =>
  `${n}${n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th')}`
const isoAfterMonths = (d: string, months: number) => {
  const total = Number(part(d).year) * 12 + Number(part(d).month) - 1 + months
  const last = new Date(Date.UTC(Math.floor(total / 12), (total % 12) + 1, 0)).getUTCDate()
  return `${Math.floor(total / 12)}-${String((total % 12) + 1).padStart(2, '0')}-${String(Math.min(Number(part(d).day), last)).padStart(2, '0')}`
}
const minutes = [90, 45, 130, 60, 215, 5, 75, 480, 100, 61, 185, 30]
const clock12 = [
  '9:05 AM',
  '1:30 PM',
  '12:15 AM',
  '11:59 PM',
  '12:00 PM',
  '6:45 PM',
  '7:20 AM',
  '11:11 AM',
  '3:02 PM',
  '8:40 PM',
  '3:33 AM',
  '4:16 PM',
]
const to24 = (t: string) => {
  const [time = '', half] = t.split(' ')
  const [h = '', m] = time.split(':')
  return `${String((Number(h) % 12) + (half === 'PM' ? 12 : 0)).padStart(2, '0')}:${m}`
}

/** More of what people do with dates and times. */
export const everydayDates = [
  defineTask('month and year', 'dates+', ISO_DATES, (d) => `${monthName(Number(part(d).month))} ${part(d).year}`),
  defineTask('short year', 'dates+', ISO_DATES, (d) => `${part(d).day}/${part(d).month}/${part(d).year.slice(2)}`),
  defineTask('month day', 'dates+', ISO_DATES, (d) => `${short(d)} ${Number(part(d).day)}`),
  defineTask(
    'mail date',
    'dates+',
    ISO_DATES,
    (d) => `${(WEEKDAYS[utcDay(d).getUTCDay()] ?? '').slice(0, 3)}, ${part(d).day} ${short(d)} ${part(d).year}`,
  ),
  defineTask(
    'ordinal day',
    'dates+',
    ISO_DATES,
    (d) => `${ordinal(Number(part(d).day))} ${monthName(Number(part(d).month))} ${part(d).year}`,
  ),
  defineTask('year quarter', 'dates+', ISO_DATES, (d) => `${part(d).year}-Q${Math.ceil(Number(part(d).month) / 3)}`),
  defineTask('end of month', 'dates+', ISO_DATES, (d) =>
    new Date(Date.UTC(Number(part(d).year), Number(part(d).month), 0)).toISOString().slice(0, 10),
  ),
  defineTask('add a month', 'dates+', ISO_DATES, (d) => isoAfterMonths(d, 1)),
  defineTask('add a year, long', 'dates+', ISO_DATES, (d) => {
    const n = isoAfterMonths(d, 12)
    return `${monthName(Number(part(n).month))} ${Number(part(n).day)}, ${part(n).year}`
  }),
  defineTask(
    'due in two weeks',
    'dates+',
    ISO_DATES,
    (d) => `Due ${new Date(utcDay(d).getTime() + 14 * 86_400_000).toISOString().slice(0, 10)}`,
  ),
  defineTask('minutes to hours', 'dates+', minutes, (n) => `${Math.floor(n / 60)}h ${n % 60}m`),
  defineTask('minutes to clock', 'dates+', minutes, (n) => `${Math.floor(n / 60)}:${String(n % 60).padStart(2, '0')}`),
  defineTask('12 to 24', 'dates+', clock12, to24),
  defineTask(
    'hours worked',
    'dates+',
    minutes.map((n, i) => ({
      from: `0${7 + (i % 3)}:${i % 2 === 0 ? '00' : '30'}`,
      to: `${15 + (i % 4)}:${i % 3 === 0 ? '30' : '00'}`,
      n,
    })),
    (r) => {
      const at = (t: string) => Number(t.slice(0, 2)) * 60 + Number(t.slice(3))
      return (at(r.to) - at(r.from)) / 60
    },
  ),
  defineTask(
    'date in text',
    'dates+',
    ISO_DATES.map((d, i) => `Invoice ${100 + i} of ${d}, paid`),
    (t) => {
      const d = /\d{4}-\d{2}-\d{2}/.exec(t)?.[0] ?? ''
      return `${Number(part(d).month)}/${Number(part(d).day)}/${part(d).year}`
    },
  ),
  defineTask(
    'month number of name',
    'dates+',
    ['March', 'January', 'December', 'June', 'April', 'May', 'July', 'August', 'October', 'February'],
    (m) => MONTH_NAMES.indexOf(m) + 1,
  ),
  defineTask(
    'unix day',
    'dates+',
    ISO_DATES.map((d) => utcDay(d).getTime() / 1000),
    (n) => new Date(n * 1000).toISOString().slice(0, 10),
  ),
  defineTask('date object', 'dates+', ISO_DATES, (d) => ({
    year: Number(part(d).year),
    month: Number(part(d).month),
    day: Number(part(d).day),
  })),
]
