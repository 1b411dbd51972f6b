import { dateParts, ISO_DATES, monthName, utcDay } from '../sources.ts'
import { defineTask } from '../task.ts'

const CLOCK = [
  '09:05',
  '13:40',
  '00:15',
  '23:59',
  '12:00',
  '18:45',
  '07:20',
  '11:11',
  '15:02',
  '20:40',
  '03:33',
  '16:16',
]
const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
const clockOf = (minutes: number) => {
  const inDay = (minutes + 1440) % 1440
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(inDay % 60).padStart(2, '0')}`
}
const halfDay = (minutes: number) => {
  const hour = Math.floor(((minutes + 1440) % 1440) / 60)
  return `${hour % 12 === 0 ? 12 : hour % 12}${hour < 12 ? 'AM' : 'PM'}`
}
const windowStart = (minutes: number, step: number, offset = 0) => Math.floor((minutes - offset) / step) * step + offset
const range = (time: string, step: number, offset = 0) => {
  const start = windowStart(minutesOf(time), step, offset)
  return [start, start + step] as const
}

const nthWeekday = (iso: string, weekday: number, n: number) => {
  const [year, month] = [Number(iso.slice(0, 4)), Number(iso.slice(5, 7))]
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate()
  const days = Array.from({ length }, (_, i) => new Date(Date.UTC(year, month - 1, i + 1)))
  const found = days.filter((day) => day.getUTCDay() === weekday).at(n > 0 ? n - 1 : n)
  return found?.toISOString().slice(0, 10) ?? ''
}

const GERMAN = 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' ')
const written = (iso: string, i: number) => {
  const { year, month, day } = dateParts(iso)
  const [m, d] = [Number(month), Number(day)]
  return [
    `${d}. ${GERMAN[m - 1]} ${year}`,
    `${d}.${m}.${year}`,
    iso,
    `${d} ${monthName(m).slice(0, 3)} ${year}`,
    `${day}/${month}/${year}`,
    `${d}.${m}.${year.slice(2)}`,
  ][i % 6]
}
const MIXED = new Map(ISO_DATES.map((iso, i) => [written(iso, i) ?? iso, iso]))
const STAMPS = ISO_DATES.map((iso, i) => `${iso} ${CLOCK[i % CLOCK.length]}`)
const weekDate = (iso: string) => {
  const day = utcDay(iso)
  const weekday = day.getUTCDay() === 0 ? 7 : day.getUTCDay()
  const thursday = new Date(day.getTime() + (4 - weekday) * 86_400_000)
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1)
  const week = Math.floor((thursday.getTime() - first) / 604_800_000) + 1
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}-${weekday}`
}
const WEEK_DATES = new Map(ISO_DATES.map((iso) => [weekDate(iso), iso]))

/** Windows of time, n-th weekdays, and dates in mixed forms. */
export const dateWindowTasks = [
  defineTask('half hour window', 'windows', CLOCK, (time) => range(time, 30).map(clockOf).join('-')),
  defineTask('two hours from one', 'windows', CLOCK, (time) => range(time, 120, 60).map(halfDay).join(' to ')),
  defineTask('last four hours', 'windows', CLOCK, (time) => clockOf(windowStart(minutesOf(time), 240))),
  defineTask(
    'hour and its last minute',
    'windows',
    CLOCK,
    (time) => `${clockOf(range(time, 60)[0])} - ${clockOf(range(time, 60)[1] - 1)}`,
  ),
  defineTask('day and window', 'windows', STAMPS, (stamp) => {
    const [start, end] = range(stamp.slice(11), 180)
    return `${stamp.slice(8, 10)}/${stamp.slice(5, 7)}: ${halfDay(start)}-${halfDay(end)}`
  }),
  defineTask('third friday', 'windows', ISO_DATES, (iso) => nthWeekday(iso, 5, 3)),
  defineTask('last monday', 'windows', ISO_DATES, (iso) => nthWeekday(iso, 1, -1)),
  defineTask('dates of six forms', 'windows', [...MIXED.keys()], (text) => MIXED.get(text) ?? ''),
  defineTask('week date to iso', 'windows', [...WEEK_DATES.keys()], (text) => WEEK_DATES.get(text) ?? ''),
]
