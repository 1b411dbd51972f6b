import type { DatePart, DatePeriod, Expr, TimeUnit } from '../../language/ast.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import {
  addToDate,
  differenceOf,
  endOfPeriod,
  partOf,
  startOfPeriod,
} from '../../language/primitives/dates/date-math.ts'
import { parseDateByPattern } from '../../language/primitives/dates/date-text.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import { constantPrice } from '../numbers/tidy.ts'
import { dateVectorKey, type DateNode } from './date-space.ts'
import { DAY_PATTERNS, STAMP_PATTERNS, TIME_PATTERNS } from './patterns.ts'

const PERIODS: readonly DatePeriod[] = ['month', 'year', 'quarter', 'week', 'day', 'hour']
const DAY_PARTS: readonly { readonly part: DatePart; readonly price: number }[] = [
  { part: 'year', price: 0.5 },
  { part: 'month', price: 0.5 },
  { part: 'day', price: 0.55 },
  { part: 'quarter', price: 0.7 },
  { part: 'weekday', price: 0.4 },
  { part: 'isoWeek', price: 0.9 },
  { part: 'dayOfYear', price: 0.9 },
  { part: 'daysInMonth', price: 1 },
  { part: 'unixSeconds', price: 1.3 },
]
const TIME_PARTS: readonly { readonly part: DatePart; readonly price: number }[] = [
  { part: 'hour', price: 0.5 },
  { part: 'minute', price: 0.6 },
  { part: 'second', price: 0.7 },
]
const UNITS: readonly TimeUnit[] = ['days', 'months', 'years', 'weeks', 'hours', 'minutes', 'seconds']

/** The parts of dates as numbers, and the time between two dates in whole units. */
export function dateNumbers(dates: readonly DateNode[]): NumberNode[] {
  const out: NumberNode[] = []
  for (const { expr, cost, values, has } of dates) {
    const parts = has === 'day' ? DAY_PARTS : has === 'time' ? TIME_PARTS : [...DAY_PARTS, ...TIME_PARTS]
    for (const { part, price } of parts) {
      out.push({
        expr: { op: 'datePart', date: expr, part },
        cost: cost + price + 0.4,
        values: values.map((date) => (date === undefined ? undefined : partOf(date, part))),
      })
    }
    if (has === 'day') continue
    for (const unit of ['minutes', 'seconds'] as const) {
      const start: Expr = { op: 'startOf', date: expr, period: 'day' }
      out.push({
        expr: { op: 'dateDifference', from: start, to: expr, unit },
        cost: cost + 1.4,
        values: values.map((date) => {
          const from = date === undefined ? undefined : startOfPeriod(date, 'day')
          return date === undefined || from === undefined ? undefined : differenceOf(from, date, unit)
        }),
      })
    }
  }
  for (const a of dates) {
    for (const b of dates) {
      if (a === b || a.has !== b.has) continue
      for (const unit of a.has === 'time'
        ? (['minutes', 'hours', 'seconds'] as const)
        : UNITS.slice(0, a.has === 'day' ? 4 : 7)) {
        out.push({
          expr: { op: 'dateDifference', from: a.expr, to: b.expr, unit },
          cost: a.cost + b.cost - 1 + (unit === 'days' || unit === 'years' || unit === 'minutes' ? 0.6 : 0.9),
          values: a.values.map((from, row) => {
            const to = b.values[row]
            return from === undefined || to === undefined ? undefined : differenceOf(from, to, unit)
          }),
        })
      }
    }
  }
  return out
}

function commonAffixes(outputs: readonly string[]): { prefix: number; suffix: number } {
  const first = outputs[0] ?? ''
  let prefix = 0
  while (prefix < first.length && outputs.every((text) => text.charAt(prefix) === first.charAt(prefix))) prefix++
  let suffix = 0
  while (suffix < first.length - prefix && outputs.every((text) => text.at(-1 - suffix) === first.at(-1 - suffix)))
    suffix++
  return { prefix, suffix }
}

/** What the outputs can be read as, as a whole or without the constant text around it. */
function readOutputs(outputs: readonly string[]): (readonly CivilDate[])[] {
  const { prefix } = commonAffixes(outputs)
  const start = outputs[0]?.slice(0, prefix).match(/^[^0-9]*?(?=\d*$)/)?.[0].length ?? 0
  const found = new Map<string, readonly CivilDate[]>()
  for (const texts of [outputs, outputs.map((text) => text.slice(start))]) {
    for (const pattern of [...DAY_PATTERNS, ...STAMP_PATTERNS, ...TIME_PATTERNS]) {
      const dates: CivilDate[] = []
      for (const text of texts) {
        const date = parseDateByPattern(text, pattern)
        if (date === undefined) break
        dates.push(date)
      }
      if (dates.length === texts.length) found.set(dateVectorKey(dates), dates)
    }
  }
  return [...found.values()]
}

function moved(node: DateNode, amount: number, unit: TimeUnit): DateNode {
  return {
    ...node,
    expr: { op: 'addTime', date: node.expr, amount: literal(amount), unit },
    cost: node.cost + 0.9 + 0.5 * constantPrice(amount),
    values: node.values.map((date) => (date === undefined ? undefined : addToDate(date, amount, unit))),
  }
}

/**
 * Dates that lie a constant time from an input's date, or at the edge of its month, quarter, year or week, as the
 * outputs show.
 */
export function shiftedDates(dates: readonly DateNode[], outputs: readonly string[]): DateNode[] {
  const targets = readOutputs(outputs)
  const out: DateNode[] = []
  const matches = (values: readonly (CivilDate | undefined)[], key: string) => dateVectorKey(values) === key
  for (const target of targets) {
    const key = dateVectorKey(target)
    for (const node of dates) {
      const first = node.values[0]
      const goal = target[0]
      if (first === undefined || goal === undefined || matches(node.values, key)) continue
      for (const unit of ['days', 'months', 'years', 'hours', 'minutes'] as const) {
        if (node.has === 'day' && (unit === 'hours' || unit === 'minutes')) continue
        const amount = differenceOf(first, goal, unit)
        if (amount === undefined || amount === 0) continue
        for (const tried of [amount, amount + Math.sign(amount)]) {
          const step = moved(node, tried, unit)
          if (matches(step.values, key)) out.push(step)
        }
      }
      for (const period of PERIODS) {
        for (const [op, of] of [
          ['startOf', startOfPeriod],
          ['endOf', endOfPeriod],
        ] as const) {
          const values = node.values.map((date) => (date === undefined ? undefined : of(date, period)))
          const days = values.map((date) => (date === undefined ? undefined : startOfPeriod(date, 'day')))
          if (!matches(values, key) && !matches(days, key)) continue
          out.push({ ...node, expr: { op, date: node.expr, period }, cost: node.cost + 0.9, values })
        }
      }
    }
  }
  return out
}
