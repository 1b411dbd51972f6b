import { dateParts, ISO_DATES, monthName, utcDay, WEEKDAYS } from './sources.ts'
import { defineTask } from './task.ts'

const toUs = (iso: string) => {
  const p = dateParts(iso)
  return `${Number(p.month)}/${Number(p.day)}/${p.year}`
}
const toEu = (iso: string) => {
  const p = dateParts(iso)
  return `${p.day}.${p.month}.${p.year}`
}
const toLong = (iso: string) => {
  const p = dateParts(iso)
  return `${monthName(Number(p.month))} ${Number(p.day)}, ${p.year}`
}
const toShort = (iso: string) => {
  const p = dateParts(iso)
  return `${Number(p.day)} ${monthName(Number(p.month)).slice(0, 3)} ${p.year}`
}
const usToIso = new Map(ISO_DATES.map((iso) => [toUs(iso), iso]))
const longToIso = new Map(ISO_DATES.map((iso) => [toLong(iso), iso]))
const iso = (text: string) => usToIso.get(text) ?? longToIso.get(text) ?? text
const stamps = ISO_DATES.map(
  (d, i) => `${d}T${String((i * 5 + 3) % 24).padStart(2, '0')}:${String((i * 17) % 60).padStart(2, '0')}:09Z`,
)
const clock = [
  '09:05',
  '13:30',
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
const plusDays = (d: string, n: number) => new Date(utcDay(d).getTime() + n * 86_400_000).toISOString().slice(0, 10)
const pairs = ISO_DATES.map((start, i) => ({ start, end: plusDays(start, 3 + i * 11) }))
const mixed = ISO_DATES.map((d, i) => (i % 3 === 0 ? d : i % 3 === 1 ? toUs(d) : toLong(d)))
const people = ISO_DATES.map((d, i) => ({ born: `${1952 + i * 4}${d.slice(4)}`, visit: `2024-0${1 + (i % 9)}-15` }))

/** Dates and times: reading, writing, parts, arithmetic. */
export const dateTasks = [
  defineTask('iso to US', 'dates', ISO_DATES, toUs),
  defineTask('US to iso', 'dates', ISO_DATES.map(toUs), iso),
  defineTask('iso to dotted', 'dates', ISO_DATES, toEu),
  defineTask('iso to long', 'dates', ISO_DATES, toLong),
  defineTask('long to iso', 'dates', ISO_DATES.map(toLong), iso),
  defineTask('iso to short', 'dates', ISO_DATES, toShort),
  defineTask('compact date', 'dates', ISO_DATES, (d) => d.replaceAll('-', '')),
  defineTask('weekday', 'dates', ISO_DATES, (d) => WEEKDAYS[utcDay(d).getUTCDay()] ?? ''),
  defineTask(
    'short weekday and date',
    'dates',
    ISO_DATES,
    (d) => `${(WEEKDAYS[utcDay(d).getUTCDay()] ?? '').slice(0, 3)} ${toEu(d)}`,
  ),
  defineTask(
    'quarter',
    'dates',
    ISO_DATES,
    (d) => `Q${Math.ceil(Number(dateParts(d).month) / 3)} ${dateParts(d).year}`,
  ),
  defineTask('month name', 'dates', ISO_DATES, (d) => monthName(Number(dateParts(d).month))),
  defineTask('year as number', 'dates', ISO_DATES, (d) => Number(dateParts(d).year)),
  defineTask('add 30 days', 'dates', ISO_DATES, (d) => plusDays(d, 30)),
  defineTask('previous day, US', 'dates', ISO_DATES, (d) => toUs(plusDays(d, -1))),
  defineTask('days between', 'dates', pairs, (p) => (utcDay(p.end).getTime() - utcDay(p.start).getTime()) / 86_400_000),
  defineTask(
    'days between, text',
    'dates',
    pairs,
    (p) => `${(utcDay(p.end).getTime() - utcDay(p.start).getTime()) / 86_400_000} days`,
  ),
  defineTask('mixed formats to iso', 'dates', mixed, iso),
  defineTask('stamp to date', 'dates', stamps, (s) => s.slice(0, 10)),
  defineTask('stamp to US with time', 'dates', stamps, (s) => `${toUs(s.slice(0, 10))} ${s.slice(11, 16)}`),
  defineTask('clock 24 to 12', 'dates', clock, (c) => {
    const hour = Number(c.slice(0, 2))
    return `${hour % 12 === 0 ? 12 : hour % 12}:${c.slice(3)} ${hour < 12 ? 'AM' : 'PM'}`
  }),
  defineTask(
    'age at visit',
    'dates',
    people,
    (p) => Number(p.visit.slice(0, 4)) - Number(p.born.slice(0, 4)) - (p.visit.slice(5) < p.born.slice(5) ? 1 : 0),
  ),
  defineTask('weekend', 'dates', ISO_DATES, (d) => utcDay(d).getUTCDay() % 6 === 0),
  defineTask('minutes of the day', 'dates', clock, (c) => Number(c.slice(0, 2)) * 60 + Number(c.slice(3))),
  defineTask('month start', 'dates', ISO_DATES, (d) => `${d.slice(0, 7)}-01`),
]
