import { type CivilDate, MS_PER_DAY, timeOfDayMs } from '../../language/primitives/dates/civil-date.ts'
import type { TimeUnit } from '../../language/names.ts'
import { addToDate } from '../../language/primitives/dates/date-math.ts'
import type { TimeWindows } from '../../language/primitives/dates/windows.ts'
import { Cost, costOf } from '../ranking/cost.ts'
import { literal } from '../search/build.ts'
import { dateBy } from '../search/derived.ts'
import type { DateNode } from './date-node.ts'
import { isShown, type ShownDates } from './shown-dates.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Lengths of windows inside a day, the common ones first. */
const LENGTHS: readonly { readonly step: number; readonly unit: 'minutes' | 'hours' }[] = [
  { step: 30, unit: 'minutes' },
  { step: 15, unit: 'minutes' },
  { step: 1, unit: 'hours' },
  { step: 2, unit: 'hours' },
  { step: 10, unit: 'minutes' },
  { step: 5, unit: 'minutes' },
  { step: 20, unit: 'minutes' },
  { step: 4, unit: 'hours' },
  { step: 3, unit: 'hours' },
  { step: 6, unit: 'hours' },
  { step: 8, unit: 'hours' },
  { step: 12, unit: 'hours' },
]
/** Windows of days. */
const LONG_WINDOWS: readonly TimeWindows[] = [
  { step: 2, unit: 'weeks', offset: 0 },
  { step: 2, unit: 'months', offset: 0 },
  { step: 4, unit: 'months', offset: 0 },
  { step: 6, unit: 'months', offset: 0 },
  { step: 12, unit: 'months', offset: 3 },
  { step: 12, unit: 'months', offset: 6 },
  { step: 12, unit: 'months', offset: 9 },
  { step: 5, unit: 'years', offset: 0 },
  { step: 10, unit: 'years', offset: 0 },
]
/** The place of the first of them among the lengths. */
const LONG_WINDOWS_PLACE = 4
const EDGES = ['windowStart', 'windowEnd'] as const
type WindowEdge = (typeof EDGES)[number]
const unitBefore = (unit: TimeUnit) => dateBy((date) => ({ op: 'addTime', date, amount: literal(-1), unit }))
/** The unit that is left out at the end of a window. */
const INCLUSIVE = [
  { needs: 'time', before: unitBefore('minutes') },
  { needs: 'time', before: unitBefore('seconds') },
  { needs: 'day', before: unitBefore('days') },
] as const

/** Windows that begin at a quarter of an hour, at five minutes, or at any minute. */
function offsetCost({ unit, offset }: TimeWindows): Cost {
  if (offset === 0) return Cost.NONE
  if (unit !== 'minutes' || offset % 15 === 0) return costOf('window.offset')
  return costOf(offset % 5 === 0 ? 'window.unevenOffset' : 'window.oddOffset')
}

function edgeNode(node: DateNode, op: WindowEdge, windows: TimeWindows, cost: Cost): DateNode {
  const { step, unit, offset } = windows
  const edge = dateBy((date) => ({
    op,
    date,
    step: literal(step),
    unit,
    ...(offset === 0 ? {} : { offset: literal(offset) }),
  }))
  return { ...node, ...edge(node, node.cost.plus(cost).plus(offsetCost(windows))) }
}

/** A window's end without its last unit. */
function inclusiveEnds(end: DateNode): DateNode[] {
  return INCLUSIVE.filter(({ needs }) => end.has === 'both' || end.has === needs).map(({ before }): DateNode => ({
    ...end,
    ...before(end, end.cost.with('window.inclusive')),
  }))
}

/** Windows of a length whose edge is the shown time of the first row; the offset in the unit, else in minutes. */
function windowsAt(goal: CivilDate, length: (typeof LENGTHS)[number]): TimeWindows | undefined {
  const size = length.step * (length.unit === 'hours' ? HOUR : MINUTE)
  const rest = timeOfDayMs(goal) % size
  if (MS_PER_DAY % size !== 0 || rest % MINUTE !== 0) return undefined
  if (length.unit === 'hours' && rest % HOUR === 0) return { ...length, offset: rest / HOUR }
  return { step: size / MINUTE, unit: 'minutes', offset: rest / MINUTE }
}

/** Windows inside a day, with the offset that the first row shows. */
function* shortWindows(node: DateNode, shown: ShownDates): Generator<DateNode> {
  const goal = shown.dates[0]
  if (node.has === 'day' || shown.has === 'day' || goal === undefined) return
  for (const [rank, length] of LENGTHS.entries()) {
    const windows = windowsAt(goal, length)
    if (windows === undefined) continue
    const size = length.step * (length.unit === 'hours' ? HOUR : MINUTE)
    const isOther = shown.span !== undefined && shown.span !== size && shown.span !== size - MINUTE
    const cost = costOf('window').with('window.place', rank).when(isOther, 'window.otherSpan')
    for (const op of EDGES) yield edgeNode(node, op, windows, cost)
    for (const end of inclusiveEnds(edgeNode(node, 'windowEnd', windowsAfter(goal, length) ?? windows, cost))) yield end
  }
}

/** Windows whose last minute is the shown time. */
function windowsAfter(goal: CivilDate, length: (typeof LENGTHS)[number]): TimeWindows | undefined {
  const next = addToDate(goal, 1, 'minutes')
  return next === undefined ? undefined : windowsAt(next, length)
}

/** The edges of the windows that hold the dates of a node, where the outputs show them. */
export function windowEdges(node: DateNode, shown: ShownDates): DateNode[] {
  const out: DateNode[] = []
  for (const found of shortWindows(node, shown)) if (isShown(found.values, shown)) out.push(found)
  if (node.has === 'time' || shown.has === 'time') return out
  for (const [rank, windows] of LONG_WINDOWS.entries()) {
    const cost = costOf('window').with('window.place', rank + LONG_WINDOWS_PLACE)
    for (const op of EDGES) {
      const edge = edgeNode(node, op, windows, cost)
      for (const found of op === 'windowEnd' ? [edge, ...inclusiveEnds(edge)] : [edge])
        if (isShown(found.values, shown)) out.push(found)
    }
  }
  return out
}
