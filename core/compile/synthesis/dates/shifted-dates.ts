import type { Expr } from '../../language/ast.ts'
import type { DatePeriod, TimeUnit } from '../../language/names.ts'
import { type CivilDate, timeOfDayMs } from '../../language/primitives/dates/civil-date.ts'
import { differenceOf } from '../../language/primitives/dates/date-math.ts'
import { numberCost } from '../numbers/tidy.ts'
import { shiftsByCategory } from '../rules/shifts-by-category.ts'
import { byCost } from '../ranking/cost.ts'
import { literal } from '../search/build.ts'
import { dateBy } from '../search/derived.ts'
import { shownOf } from '../search/unlabelled.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import { dateVectorKey, type DateNode } from './date-node.ts'
import { nthWeekdays } from './nth-weekdays.ts'
import { isExactly, isShown, shownDates, type ShownDates } from './shown-dates.ts'
import { windowEdges } from './windows.ts'
import { workdays } from './workdays.ts'

const MOVE_UNITS = ['days', 'months', 'years', 'hours', 'minutes'] as const
const PERIODS: readonly DatePeriod[] = ['month', 'year', 'quarter', 'week', 'day', 'hour']
const NEXT_PERIODS = [
  { period: 'hour', unit: 'hours' },
  { period: 'day', unit: 'days' },
  { period: 'week', unit: 'weeks' },
  { period: 'month', unit: 'months' },
  { period: 'year', unit: 'years' },
] as const
const MAX_AMOUNTS = 6
const MAX_SHIFTED = 24
const MINUTE_STEPS = [15, 30, 10, 5, 60, 20, 120] as const
const STEP_MODES = [
  { mode: 'halfUp', feature: 'roundTime.halfUp' },
  { mode: 'ceil', feature: 'roundTime.ceil' },
] as const

function moved(node: DateNode, amount: number, unit: TimeUnit): DateNode {
  const by = dateBy((date) => ({ op: 'addTime', date, amount: literal(amount), unit }))
  return { ...node, ...by(node, node.cost.with('moveDate').plus(numberCost(amount).share('moveDate'))) }
}

const later = (unit: TimeUnit) => dateBy((date, amount) => ({ op: 'addTime', date, amount, unit }))
/** A date so many days later. */
export const DAYS_LATER = later('days')
const BY_COLUMN = (['days', 'months', 'weeks', 'years', 'hours', 'minutes'] as const).map((unit) => ({
  unit,
  forward: later(unit),
  back: dateBy((date, amount) => ({ op: 'addTime', date, amount: { op: 'neg', value: amount }, unit })),
}))

/** Moves dates by an amount of time for each category, in the first unit that leads to the shown dates. */
function movedByCategory(node: DateNode, texts: readonly TextNode[], target: ShownDates): DateNode[] {
  return shiftsByCategory(texts, node.values, target.dates).flatMap((shifts) => {
    const moves = shifts
      .filter(({ unit }) => node.has !== 'day' || (unit !== 'hours' && unit !== 'minutes'))
      .map(({ amount, unit }): DateNode => {
        const cost = node.cost
          .plus(amount.cost)
          .with('moveDate.forward')
          .when(unit !== 'days', 'moveDate.otherUnit')
        return { ...node, ...later(unit)(node, cost, amount) }
      })
    return moves.filter(({ values }) => isShown(values, target)).slice(0, 1)
  })
}

/** Yields dates shifted by the number of units in another column. */
function* movedByColumn(node: DateNode, amounts: readonly NumberNode[]): Generator<DateNode> {
  for (const amount of amounts.slice(0, MAX_AMOUNTS)) {
    for (const { unit, forward, back } of BY_COLUMN) {
      if (node.has === 'day' && (unit === 'hours' || unit === 'minutes')) continue
      const cost = (feature: 'moveDate.forward' | 'moveDate.back') =>
        node.cost
          .plus(amount.cost)
          .with(feature)
          .when(unit !== 'days', 'moveDate.otherUnit')
      yield { ...node, ...forward(node, cost('moveDate.forward'), amount) }
      yield { ...node, ...back(node, cost('moveDate.back'), amount) }
    }
  }
}

const NEXT = NEXT_PERIODS.map(({ period, unit }) => ({
  period,
  next: dateBy((date) => ({ op: 'addTime', date: { op: 'startOf', date, period }, amount: literal(1), unit })),
}))

/** The start of the next hour, day, week, month or year. */
function nextPeriods(node: DateNode): DateNode[] {
  return NEXT.filter(({ period }) => node.has !== 'day' || period !== 'hour').map(({ next }): DateNode => ({
    ...node,
    ...next(node, node.cost.with('nextPeriod')),
  }))
}

const ROUNDED = MINUTE_STEPS.flatMap((step) =>
  STEP_MODES.map(({ mode, feature }) => ({
    feature,
    rounded: dateBy((date) => {
      const from: Expr = { op: 'startOf', date, period: 'day' }
      const seconds: Expr = { op: 'dateDifference', from, to: date, unit: 'seconds' }
      const value: Expr = { op: 'div', left: seconds, right: literal(60) }
      const amount: Expr = {
        op: 'roundStep',
        value,
        step: literal(step),
        ...(mode === 'halfUp' ? {} : { mode }),
      }
      return { op: 'addTime', date: from, amount, unit: 'minutes' }
    }),
  })),
)

/** Times to the nearest or next quarter of an hour, and to other steps in minutes. */
function roundedTimes(node: DateNode): DateNode[] {
  if (node.has === 'day') return []
  return ROUNDED.map(({ feature, rounded }): DateNode => ({ ...node, ...rounded(node, node.cost.with(feature)) }))
}

/** Shifted dates by their values: of equal ones the cheapest is kept, unless their texts tell other things. */
class ShiftedDates {
  readonly #byValues = new Map<string, DateNode>()

  add(node: DateNode): void {
    const key = `${node.has} ${dateVectorKey(node.values)}`
    const known = this.#byValues.get(key)
    if (known === undefined || node.cost.total < known.cost.total) this.#byValues.set(key, node)
  }

  cheapest(): DateNode[] {
    return [...this.#byValues.values()].toSorted(byCost).slice(0, MAX_SHIFTED)
  }
}

const DAY = dateBy((date) => ({ op: 'startOf', date, period: 'day' }))
const PERIOD_EDGES = PERIODS.flatMap((period) =>
  (['startOf', 'endOf'] as const).map((op) => dateBy((date) => ({ op, date, period }))),
)

/** The edges of the periods that hold the dates, with the days on which they are. */
function periodEdges(node: DateNode): { edge: DateNode; days: readonly (CivilDate | undefined)[] }[] {
  return PERIOD_EDGES.map((edgeOf) => {
    const edge = { ...node, ...edgeOf(node, node.cost.with('periodEdge')) }
    return { edge, days: DAY(edge, edge.cost).values }
  })
}

/** Amounts of time from a date to the shown one; where no day is shown, from one time of the day to the other. */
function amountsTo(first: CivilDate, goal: CivilDate, isTime: boolean): { amount: number; unit: TimeUnit }[] {
  if (isTime) {
    const minutes = Math.round((timeOfDayMs(goal) - timeOfDayMs(first)) / 60_000)
    const ways = minutes === 0 ? [] : [minutes, minutes - Math.sign(minutes) * 1440]
    return ways.map((way) => (way % 60 === 0 ? { amount: way / 60, unit: 'hours' } : { amount: way, unit: 'minutes' }))
  }
  return MOVE_UNITS.flatMap((unit) => {
    const amount = differenceOf(first, goal, unit)
    if (amount === undefined || amount === 0) return []
    return [amount, amount + Math.sign(amount)].map((tried) => ({ amount: tried, unit }))
  })
}

const YEAR: Readonly<Partial<Record<TimeUnit, number>>> = { years: 1, months: 12, days: 365 }

function isWithinYear(amount: number, unit: TimeUnit): boolean {
  return Math.abs(amount) < (YEAR[unit] ?? Infinity)
}

function* constantMoves(node: DateNode, target: ShownDates): Generator<DateNode> {
  const [first] = node.values
  const [goal] = target.dates
  if (first === undefined || goal === undefined) return
  const isTime = target.has === 'time'
  for (const { amount, unit } of amountsTo(first, goal, isTime)) {
    if (node.has === 'day' && (unit === 'hours' || unit === 'minutes')) continue
    // A year that the reader fills in is no year to count from.
    if (node.isYearless === true && !isWithinYear(amount, unit)) continue
    const found = moved(node, amount, unit)
    if (isTime ? isShown(found.values, target) : isExactly(found.values, target)) yield found
  }
}

/**
 * Dates that lie a constant time from an input's date, or at the edge of its month, quarter, year, week or window, as
 * the outputs show; or, where none of these is shown, the time that their category has.
 */
export function shiftedDates(
  dates: readonly DateNode[],
  amounts: readonly NumberNode[],
  outputs: readonly string[],
  texts: readonly TextNode[],
): DateNode[] {
  const targets = shownDates(outputs)
  if (targets.length === 0) return []
  const out = new ShiftedDates()
  const known = dates.filter(({ values }) => !shownOf(values, outputs.length).includes(undefined))
  const unexplained = new Set(targets)
  for (const node of known) {
    const derived = [...movedByColumn(node, amounts), ...workdays(node, amounts, outputs.length)]
    const rounded = [...roundedTimes(node), ...nextPeriods(node)]
    const edges = periodEdges(node)
    for (const target of targets) {
      if (isExactly(node.values, target)) {
        unexplained.delete(target)
        continue
      }
      // Two shown times at one distance are the edges of windows of that length.
      const isOther = target.span !== undefined
      const isEdge = (values: DateNode['values']): boolean => isExactly(values, target)
      const moves = [
        ...constantMoves(node, target),
        ...derived.filter(({ values }) => isShown(values, target)),
        ...rounded.filter(({ values }) => isShown(values, target)).map((found) => asOther(found, isOther)),
        ...edges
          .filter(({ edge, days }) => isEdge(edge.values) || isEdge(days))
          .map(({ edge }) => asOther(edge, isOther)),
        ...windowEdges(node, target),
        ...nthWeekdays(node, target),
      ]
      for (const found of moves) out.add(found)
      if (moves.length > 0) unexplained.delete(target)
    }
  }
  for (const target of unexplained) {
    for (const node of known) for (const found of movedByCategory(node, texts, target)) out.add(found)
  }
  return out.cheapest()
}

function asOther(node: DateNode, isOther: boolean): DateNode {
  return isOther ? { ...node, cost: node.cost.with('window.otherSpan') } : node
}
