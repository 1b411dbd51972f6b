import type { Expr } from '../../language/ast.ts'
import type { DatePeriod, TimeUnit } from '../../language/names.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { addToDate, differenceOf, endOfPeriod, startOfPeriod } from '../../language/primitives/dates/date-math.ts'
import { parseDateByPattern } from '../../language/primitives/dates/date-text.ts'
import { roundToStep } from '../../language/primitives/numbers/rounding.ts'
import { numberCost } from '../numbers/tidy.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import { dateVectorKey, type DateNode } from './date-space.ts'
import { workdays } from './workdays.ts'
import { DAY_PATTERNS, STAMP_PATTERNS, TIME_PATTERNS } from './patterns.ts'

const PERIODS: readonly DatePeriod[] = ['month', 'year', 'quarter', 'week', 'day', 'hour']
const NEXT_PERIODS = [
  { period: 'hour', unit: 'hours' },
  { period: 'day', unit: 'days' },
  { period: 'week', unit: 'weeks' },
  { period: 'month', unit: 'months' },
  { period: 'year', unit: 'years' },
] as const
const MAX_AMOUNTS = 6
const MINUTE_STEPS = [15, 30, 10, 5, 60, 20] as const
const DATE_FORMS = [
  /\d{4}-\d\d-\d\d/g,
  /\d{1,2}[./]\d{1,2}[./]\d{4}/g,
  /\p{Lu}\p{Ll}+ \d{1,2}, \d{4}/gu,
  /\d{1,2} \p{Lu}\p{Ll}+ \d{4}/gu,
  /\d{1,2}:\d\d(?: [AP]M)?/g,
] as const
const STEP_MODES = [
  { mode: 'halfUp', feature: 'roundTime.halfUp' },
  { mode: 'floor', feature: 'roundTime.floor' },
  { mode: 'ceil', feature: 'roundTime.ceil' },
] as const

function commonAffixes(outputs: readonly string[]): { prefix: number; suffix: number } {
  const first = outputs[0] ?? ''
  let prefix = 0
  while (prefix < first.length && outputs.every((text) => text.charAt(prefix) === first.charAt(prefix))) prefix++
  let suffix = 0
  while (suffix < first.length - prefix && outputs.every((text) => text.at(-1 - suffix) === first.at(-1 - suffix)))
    suffix++
  return { prefix, suffix }
}

/** The first and the last date or time inside every output, where the outputs hold more than that. */
function datesInside(outputs: readonly string[]): string[][] {
  return DATE_FORMS.flatMap((form) => {
    const rows = outputs.map((output) => [...output.matchAll(form)].map(([text]) => text))
    return [0, -1].flatMap((place) => {
      const found = rows.flatMap((texts) => texts.at(place) ?? [])
      const isWhole = found.every((text, row) => text === outputs[row])
      return found.length < outputs.length || isWhole ? [] : [found]
    })
  })
}

/** Reads the outputs, or their parts that are not constant, as dates. */
function readOutputs(outputs: readonly string[]): (readonly CivilDate[])[] {
  const { prefix } = commonAffixes(outputs)
  const start = outputs[0]?.slice(0, prefix).match(/^[^0-9]*?(?=\d*$)/)?.[0].length ?? 0
  const found = new Map<string, readonly CivilDate[]>()
  for (const texts of [outputs, outputs.map((text) => text.slice(start)), ...datesInside(outputs)]) {
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

/** The vector is the target; of times of the day the outputs show no date. */
function isShown(values: readonly (CivilDate | undefined)[], key: string, target: readonly CivilDate[]): boolean {
  if (dateVectorKey(values) === key) return true
  return values.every((date, row) => {
    const goal = target[row]
    return date !== undefined && goal !== undefined && differenceOf(date, goal, 'minutes') === 0
  })
}

function moved(node: DateNode, amount: number, unit: TimeUnit): DateNode {
  return {
    ...node,
    expr: { op: 'addTime', date: node.expr, amount: literal(amount), unit },
    cost: node.cost.with('moveDate').plus(numberCost(amount).share('moveDate')),
    values: node.values.map((date) => (date === undefined ? undefined : addToDate(date, amount, unit))),
  }
}

/** Yields dates shifted by the number of units in another column. */
function* movedByColumn(node: DateNode, amounts: readonly NumberNode[]): Generator<DateNode> {
  for (const amount of amounts.slice(0, MAX_AMOUNTS)) {
    for (const unit of ['days', 'months', 'weeks', 'years', 'hours', 'minutes'] as const) {
      if (node.has === 'day' && (unit === 'hours' || unit === 'minutes')) continue
      for (const sign of [1, -1] as const) {
        const by: Expr = sign === 1 ? amount.expr : { op: 'neg', value: amount.expr }
        yield {
          ...node,
          expr: { op: 'addTime', date: node.expr, amount: by, unit },
          cost: node.cost
            .plus(amount.cost)
            .with(sign === 1 ? 'moveDate.forward' : 'moveDate.back')
            .when(unit !== 'days', 'moveDate.otherUnit'),
          values: node.values.map((date, row) => {
            const count = amount.values[row]
            return date === undefined || count === undefined ? undefined : addToDate(date, sign * count, unit)
          }),
        }
      }
    }
  }
}

/** The start of the next hour, day, week, month or year. */
function nextPeriods(node: DateNode): DateNode[] {
  return NEXT_PERIODS.flatMap(({ period, unit }): DateNode[] => {
    if (node.has === 'day' && period === 'hour') return []
    const start: Expr = { op: 'startOf', date: node.expr, period }
    return [
      {
        ...node,
        expr: { op: 'addTime', date: start, amount: literal(1), unit },
        cost: node.cost.with('nextPeriod'),
        values: node.values.map((date) => {
          const from = date === undefined ? undefined : startOfPeriod(date, period)
          return from === undefined ? undefined : addToDate(from, 1, unit)
        }),
      },
    ]
  })
}

/** Times to the nearest, last or next quarter of an hour, and to other steps in minutes. */
function* roundedTimes(node: DateNode): Generator<DateNode> {
  if (node.has === 'day') return
  const start: Expr = { op: 'startOf', date: node.expr, period: 'day' }
  const minutes: Expr = {
    op: 'div',
    left: { op: 'dateDifference', from: start, to: node.expr, unit: 'seconds' },
    right: literal(60),
  }
  for (const step of MINUTE_STEPS) {
    for (const { mode, feature } of STEP_MODES) {
      const amount: Expr = {
        op: 'roundStep',
        value: minutes,
        step: literal(step),
        ...(mode === 'halfUp' ? {} : { mode }),
      }
      yield {
        ...node,
        expr: { op: 'addTime', date: start, amount, unit: 'minutes' },
        cost: node.cost.with(feature),
        values: node.values.map((date) => {
          const from = date === undefined ? undefined : startOfPeriod(date, 'day')
          const seconds = date === undefined || from === undefined ? undefined : differenceOf(from, date, 'seconds')
          const rounded = seconds === undefined ? undefined : roundToStep(seconds / 60, step, mode)
          return from === undefined || rounded === undefined ? undefined : addToDate(from, rounded, 'minutes')
        }),
      }
    }
  }
}

/**
 * Dates that lie a constant time from an input's date, or at the edge of its month, quarter, year or week, as the
 * outputs show.
 */
export function shiftedDates(
  dates: readonly DateNode[],
  amounts: readonly NumberNode[],
  outputs: readonly string[],
): DateNode[] {
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
      for (const found of [
        ...movedByColumn(node, amounts),
        ...roundedTimes(node),
        ...nextPeriods(node),
        ...workdays(node, amounts),
      ])
        if (isShown(found.values, key, target)) out.push(found)
      for (const period of PERIODS) {
        for (const [op, of] of [
          ['startOf', startOfPeriod],
          ['endOf', endOfPeriod],
        ] as const) {
          const values = node.values.map((date) => (date === undefined ? undefined : of(date, period)))
          const days = values.map((date) => (date === undefined ? undefined : startOfPeriod(date, 'day')))
          if (!matches(values, key) && !matches(days, key)) continue
          out.push({ ...node, expr: { op, date: node.expr, period }, cost: node.cost.with('periodEdge'), values })
        }
      }
    }
  }
  return out
}
