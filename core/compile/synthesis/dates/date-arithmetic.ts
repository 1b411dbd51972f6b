import type { Expr } from '../../language/ast.ts'
import type { TimeUnit } from '../../language/names.ts'
import { literal } from '../search/build.ts'
import { toCivilMs } from '../../language/primitives/dates/civil-date.ts'
import { workdaysBetween } from '../../language/primitives/dates/workdays.ts'
import { numberBy } from '../search/derived.ts'
import type { NumberNode } from '../search/node.ts'
import { withConstant } from '../numbers/number-node.ts'
import { costOf } from '../ranking/cost.ts'
import { datePart, type DateNode } from './date-node.ts'

const DAY_PARTS = [
  'year',
  'month',
  'day',
  'quarter',
  'weekday',
  'isoWeek',
  'dayOfYear',
  'daysInMonth',
  'unixSeconds',
] as const
const TIME_PARTS = ['hour', 'minute', 'second'] as const

/** Years that begin in April, July and October: the date moved so that they begin in January. */
const FISCAL_SHIFTS = [-3, 3, 6, 9] as const

const PARTS = [...DAY_PARTS, ...TIME_PARTS].map(
  (part) =>
    ({
      needs: TIME_PARTS.some((time) => time === part) ? 'time' : 'day',
      feature: `datePart.${part}`,
      number: numberBy((date) => datePart(date, part)),
    }) as const,
)
/** The year and the quarter of fiscal years. */
const FISCAL = FISCAL_SHIFTS.flatMap((months) =>
  (['year', 'quarter'] as const).map((part) =>
    numberBy((of) => {
      const date: Expr = { op: 'addTime', date: of, amount: literal(months), unit: 'months' }
      return datePart(date, part)
    }),
  ),
)
const SINCE_MIDNIGHT = (['minutes', 'seconds'] as const).map((unit) =>
  numberBy((to) => ({ op: 'dateDifference', from: { op: 'startOf', date: to, period: 'day' }, to, unit })),
)
const between = (unit: TimeUnit) => numberBy((from, to) => ({ op: 'dateDifference', from, to, unit }))
const MINUTES_A_DAY = 1440
const DIFFERENCES = (['days', 'months', 'years', 'weeks', 'hours', 'minutes', 'seconds'] as const).map(
  (unit) =>
    ({
      needs: unit === 'hours' || unit === 'minutes' || unit === 'seconds' ? 'time' : 'day',
      feature:
        unit === 'days' || unit === 'years' || unit === 'minutes' ? 'dateDifference' : 'dateDifference.otherUnit',
      number: between(unit),
    }) as const,
)

const MINUTES = between('minutes')

/** Days from Monday to Friday between two dates: with both of them, without the first, without the last. */
const WORKDAYS = [
  { first: true, last: true },
  { first: false, last: true },
  { first: true, last: false },
].map((counted) => numberBy((from, to) => workdaysBetween(from, to, counted)))

/** The workdays between two dates, the first of which is never the later one. */
function workdayNumbers(a: DateNode, b: DateNode): NumberNode[] {
  const isForward = a.values.every((from, row) => {
    const to = b.values[row]
    return from === undefined || to === undefined || toCivilMs(from) <= toCivilMs(to)
  })
  const cost = a.cost.plus(b.cost).with('dateDifference.otherUnit')
  return a.has === 'time' || !isForward ? [] : WORKDAYS.map((number) => number(a, cost, b))
}

/** The minutes from one time of day to another one, which is on the next day where it is earlier. */
function overnight(a: DateNode, b: DateNode): NumberNode[] {
  if (a.has !== 'time') return []
  const minutes = MINUTES(a, a.cost.plus(b.cost).with('dateDifference'), b)
  const isOver = minutes.values.some((value) => value !== undefined && value < 0)
  return isOver ? [withConstant('mod', minutes, MINUTES_A_DAY, costOf('dateDifference.overnight'))] : []
}

/** The parts of dates as numbers, and the time between two dates in whole units and in workdays. */
export function dateNumbers(dates: readonly DateNode[]): NumberNode[] {
  const parts = dates.flatMap((date) => {
    const { cost, has } = date
    const own = PARTS.filter(({ needs }) => has === 'both' || has === needs)
    return [
      ...own.map(({ feature, number }) => number(date, cost.with(feature))),
      ...(has === 'day'
        ? FISCAL.map((number) => number(date, cost.with('datePart.fiscal')))
        : SINCE_MIDNIGHT.map((number) => number(date, cost.with('dateDifference.dayStart')))),
    ]
  })
  const differences = dates.flatMap((a) =>
    dates
      .filter((b) => b !== a && b.has === a.has)
      .flatMap((b) => [
        ...DIFFERENCES.filter(({ needs }) => a.has === 'both' || a.has === needs).map(({ feature, number }) =>
          number(a, a.cost.plus(b.cost).with(feature), b),
        ),
        ...workdayNumbers(a, b),
        ...overnight(a, b),
      ]),
  )
  return [...parts, ...differences]
}
