import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { MS_PER_DAY, timeOfDayMs, toCivilMs } from '../../language/primitives/dates/civil-date.ts'
import type { DateContent } from '../../language/primitives/dates/reading/fields.ts'
import { dateVectorKey } from './date-node.ts'
import { OTHER_PATTERNS } from './other-patterns.ts'
import { Cost } from '../ranking/cost.ts'
import { INPUT } from '../search/build.ts'
import { shownOf } from '../search/unlabelled.ts'
import { DateReader } from './read-pieces.ts'

/** Dates or times that every output shows. */
export interface ShownDates {
  readonly dates: readonly CivilDate[]
  readonly has: DateContent
  readonly key: string
  /** The time from the first to the last one in milliseconds, where every output shows two at the same distance. */
  readonly span?: number
}

const DATE_FORMS = [
  /\d{4}-\d\d-\d\d/g,
  /\d{1,2}[./]\d{1,2}[./]\d{4}/g,
  /\p{Lu}\p{Ll}+ \d{1,2}, \d{4}/gu,
  /\d{1,2} \p{Lu}\p{Ll}+ \d{4}/gu,
] as const
const TIME_FORMS = [/(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?: ?[AP]M)?/gi, /(?<!\d)\d{1,2} ?[AP]M/gi] as const
const ORDERS = ['dmy', 'mdy'] as const
function commonPrefix(outputs: readonly string[]): number {
  const first = outputs[0] ?? ''
  let length = 0
  while (length < first.length && outputs.every((text) => text.charAt(length) === first.charAt(length))) length++
  return length
}

function readBy<T>(texts: readonly string[], read: (text: string) => T | undefined): T[] | undefined {
  const found: T[] = []
  for (const text of texts) {
    const date = read(text)
    if (date === undefined) return undefined
    found.push(date)
  }
  return found
}

/** The dates of whole texts, in every order in which their numbers can be read. */
function readAll(texts: readonly string[], reader: DateReader): ShownDates[] {
  const ordered = ORDERS.flatMap((order): ShownDates[] => {
    const reads = readBy(texts, (text) => reader.read(text, { order }, order))
    const has = reads?.[0]?.has
    if (reads === undefined || has === undefined || reads.some((read) => read.has !== has)) return []
    const dates = reads.map(({ date }) => date)
    return [{ dates, has, key: dateVectorKey(dates) }]
  })
  const patterned = OTHER_PATTERNS.flatMap(({ has, read }): ShownDates[] => {
    const dates = read({ expr: INPUT, values: texts }, Cost.NONE).values.filter((date) => date !== undefined)
    return dates.length < texts.length ? [] : [{ dates, has, key: dateVectorKey(dates) }]
  })
  return [...ordered, ...patterned]
}

/** The one distance between the first and the last date of all rows, over midnight where there is no day. */
function spanOf(first: ShownDates | undefined, last: ShownDates | undefined): number | undefined {
  if (first === undefined || last === undefined || first.has !== last.has) return undefined
  const spans = new Set(
    first.dates.map((date, row) => {
      const end = last.dates[row]
      const span = end === undefined ? 0 : toCivilMs(end) - toCivilMs(date)
      return span < 0 && first.has === 'time' ? span + MS_PER_DAY : span
    }),
  )
  const [only] = spans
  return spans.size === 1 && only !== undefined && only > 0 ? only : undefined
}

/** The first and the last date or time inside every output, where the outputs hold more than that. */
function datesInside(outputs: readonly string[], reader: DateReader): ShownDates[] {
  return [...DATE_FORMS, ...TIME_FORMS].flatMap((form) => {
    const rows = outputs.map((output) => [...output.matchAll(form)].map(([text]) => text))
    if (rows.some(({ length }) => length === 0)) return []
    const [first, last] = [0, -1].map((place) => rows.flatMap((texts) => texts.at(place) ?? []))
    if (first === undefined || last === undefined || first.every((text, row) => text === outputs[row])) return []
    const starts = readAll(first, reader)
    if (rows.every(({ length }) => length === 1)) return starts
    const ends = readAll(last, reader)
    return starts.flatMap((start, at) => {
      const end = ends[at]
      const span = spanOf(start, end)
      return [start, ...(end === undefined ? [] : [end])].map((one) => (span === undefined ? one : { ...one, span }))
    })
  })
}

/** Reads the outputs, or their parts that are not constant, as dates. */
export function shownDates(outputs: readonly string[]): ShownDates[] {
  const reader = new DateReader()
  const start = outputs[0]?.slice(0, commonPrefix(outputs)).match(/^[^0-9]*?(?=\d*$)/)?.[0].length ?? 0
  const whole = [outputs, ...(start === 0 ? [] : [outputs.map((text) => text.slice(start))])].flatMap((texts) =>
    readAll(texts, reader),
  )
  const found = new Map<string, ShownDates>()
  for (const one of [...whole, ...datesInside(outputs, reader)]) {
    const key = `${one.has} ${one.key}`
    if (found.get(key)?.span === undefined) found.set(key, one)
  }
  return [...found.values()]
}

/** Returns true when the values on the rows with a target are exactly the shown dates. */
export function isExactly(values: readonly (CivilDate | undefined)[], { dates, key }: ShownDates): boolean {
  return dateVectorKey(shownOf(values, dates.length)) === key
}

function isSameTime(date: CivilDate, goal: CivilDate): boolean {
  return Math.floor(timeOfDayMs(date) / 60_000) === Math.floor(timeOfDayMs(goal) / 60_000)
}

function isSameDay(date: CivilDate, goal: CivilDate): boolean {
  return date.year === goal.year && date.month === goal.month && date.day === goal.day
}

/** True when the values are the dates that the outputs show: the days, the times to the minute, or both. */
export function isShown(values: readonly (CivilDate | undefined)[], { dates, has }: ShownDates): boolean {
  return dates.every((goal, row) => {
    const date = values[row]
    if (date === undefined) return false
    return (has === 'time' || isSameDay(date, goal)) && (has === 'day' || isSameTime(date, goal))
  })
}
