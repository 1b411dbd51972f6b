import type { Expr } from '../../language/ast.ts'
import type { CivilDate } from '../../language/primitives/dates/civil-date.ts'
import { readDatePattern } from '../../language/primitives/dates/date-pattern.ts'
import { formatDateText, parseDateByPattern } from '../../language/primitives/dates/date-text.ts'
import type { Budget } from '../search/budget.ts'
import { fromUnixTime, moveToOffset } from '../../language/primitives/dates/date-math.ts'
import { NodePool, type Node, type NumberNode, type TextNode } from '../search/node.ts'
import { DAY_PATTERNS, STAMP_PATTERNS, TIME_PATTERNS } from './patterns.ts'
import { byCost, costOf, type Cost } from '../ranking/cost.ts'

export type DateNode = Node<CivilDate> & {
  /** Content of the texts: a day, a time of the day, or both. */
  readonly has: 'day' | 'time' | 'both'
}

const MAX_PIECES = 60
const MAX_DATES = 14
const MAX_MIXED = 5
const DATE_LIKE =
  /\d[-/.: ,]\d|\d{6,8}|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)|\d ?[ap]m/i
const KEY_ELEMENTS = readDatePattern('yyyy-MM-dd HH:mm:ss.SSS') ?? []

/** A vector of dates as a key. */
export function dateVectorKey(values: readonly (CivilDate | undefined)[]): string {
  return values.map((date) => (date === undefined ? '' : formatDateText(date, KEY_ELEMENTS))).join('|')
}

interface Reading {
  readonly pattern: string
  readonly has: DateNode['has']
  readonly cost: Cost
}

const READINGS: readonly Reading[] = [
  ...DAY_PATTERNS.map((pattern, i) => ({
    pattern,
    has: 'day' as const,
    cost: costOf('readDate.day').with('readDate.day.place', i),
  })),
  ...STAMP_PATTERNS.map((pattern, i) => ({
    pattern,
    has: 'both' as const,
    cost: costOf('readDate.stamp').with('readDate.stamp.place', i),
  })),
  ...TIME_PATTERNS.map((pattern, i) => ({
    pattern,
    has: 'time' as const,
    cost: costOf('readDate.time').with('readDate.time.place', i),
  })),
]

function parse(text: Expr, pattern: string): Expr {
  return { op: 'parseDate', text, pattern }
}

function* readPiece(piece: TextNode, budget: Budget): Generator<DateNode> {
  const present = piece.values.filter((value) => value !== undefined).length
  const partial: { reading: Reading; values: (CivilDate | undefined)[]; rows: number }[] = []
  for (const reading of READINGS) {
    budget.spend(1)
    let rows = 0
    const values = piece.values.map((value) => {
      const date = value === undefined || value.length > 40 ? undefined : parseDateByPattern(value, reading.pattern)
      if (date !== undefined) rows++
      return date
    })
    if (rows === 0) continue
    yield { expr: parse(piece.expr, reading.pattern), cost: piece.cost.plus(reading.cost), values, has: reading.has }
    if (values.some((date) => date?.offsetMinutes !== undefined && date.offsetMinutes !== 0))
      yield {
        expr: { op: 'atOffset', date: parse(piece.expr, reading.pattern), offsetMinutes: 0 },
        cost: piece.cost.plus(reading.cost).with('readDate.utc'),
        values: values.map((date) => (date === undefined ? undefined : moveToOffset(date, 0))),
        has: reading.has,
      }
    if (rows < present) partial.push({ reading, values, rows })
  }
  yield* mixedReadings(piece, partial)
}

/** One value out of texts in several formats: the first pattern that reads the text. */
function* mixedReadings(
  piece: TextNode,
  partial: readonly { reading: Reading; values: readonly (CivilDate | undefined)[]; rows: number }[],
): Generator<DateNode> {
  if (partial.length < 2) return
  const families = [(pattern: string) => !/^d+[/-]M/.test(pattern), (pattern: string) => !/^M+[/-]d/.test(pattern)]
  for (const isInFamily of families) {
    const chosen: (typeof partial)[number][] = []
    const values: (CivilDate | undefined)[] = piece.values.map(() => undefined)
    const left = partial.filter(({ reading }) => isInFamily(reading.pattern)).toSorted((a, b) => b.rows - a.rows)
    while (chosen.length < MAX_MIXED) {
      let best: (typeof partial)[number] | undefined
      let bestGain = 0
      for (const candidate of left) {
        const gain = candidate.values.filter((date, row) => date !== undefined && values[row] === undefined).length
        if (gain > bestGain && (chosen[0] === undefined || chosen[0].reading.has === candidate.reading.has)) {
          best = candidate
          bestGain = gain
        }
      }
      if (best === undefined) break
      chosen.push(best)
      best.values.forEach((date, row) => (values[row] ??= date))
    }
    const has = chosen[0]?.reading.has
    if (chosen.length < 2 || has === undefined) continue
    const cost = piece.cost.with('readDate.mixed').with('readDate.mixed.further', chosen.length - 1)
    yield {
      expr: { op: 'orElse', of: chosen.map(({ reading }) => parse(piece.expr, reading.pattern)) },
      cost,
      values,
      has,
    }
  }
}

/** Numbers that are a Unix time of the years 1973 to 2100, in seconds or milliseconds. */
function unixTimes(numbers: readonly NumberNode[]): DateNode[] {
  return numbers.flatMap(({ expr, cost, values }): DateNode[] => {
    const present = values.filter((value) => value !== undefined)
    const unit = present.every((value) => value >= 1e8 && value <= 4.1e9)
      ? 'seconds'
      : present.every((value) => value >= 1e11 && value <= 4.1e12)
        ? 'milliseconds'
        : undefined
    if (unit === undefined) return []
    return [
      {
        expr: { op: 'fromUnix', value: expr, ...(unit === 'seconds' ? {} : { unit }) },
        cost: cost.with('fromUnix'),
        values: values.map((value) => (value === undefined ? undefined : fromUnixTime(value, unit))),
        has: 'both',
      },
    ]
  })
}

/** The dates and times that pieces of the inputs can be read as. */
export function buildDateSpace(
  pieces: readonly TextNode[],
  numbers: readonly NumberNode[],
  budget: Budget,
): DateNode[] {
  const pool = new NodePool<CivilDate>(dateVectorKey)
  const kinds = new Map<Node<CivilDate>, DateNode>()
  const likely = pieces.filter((piece) => piece.values.some((value) => value !== undefined && DATE_LIKE.test(value)))
  for (const node of unixTimes(numbers)) {
    pool.add(node)
    kinds.set(node, node)
  }
  for (const piece of likely.slice(0, MAX_PIECES)) {
    for (const node of readPiece(piece, budget)) {
      pool.add(node)
      kinds.set(node, node)
    }
  }
  const defined = (node: DateNode) => node.values.filter((date) => date !== undefined).length
  return pool
    .best()
    .flatMap((node) => kinds.get(node) ?? [])
    .toSorted((a, b) => defined(b) - defined(a) || byCost(a, b))
    .slice(0, MAX_DATES)
}
