import type { Expr } from '../../language/ast.ts'
import { limitBetween, passes, usualLimits, type Limit } from '../conditions/thresholds.ts'
import { comparedNumbers, isMember } from '../conditions/pair-predicates.ts'
import { equals, literal, literalPattern } from '../search/build.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import type { Scope } from '../search/scope.ts'
import { rowSet, sizeOf, type RowSet } from './row-set.ts'
import { Cost, costOf } from '../ranking/cost.ts'

/** A condition with all the rows on which it holds. */
export interface Feature {
  readonly expr: Expr
  readonly cost: Cost
  readonly rows: RowSet
  /** True for a limit of a number: one row beyond it can be the only one of its label. */
  readonly isLimit?: true
  /** The limit. */
  readonly limit?: number
}

const MAX_WORDS = 1500
const MAX_THRESHOLDS = 40
const MAX_VALUES = 40
const MAX_COMPARED = 4
/** Numbers that a text writes, with which a single column is compared. */
const MAX_ENDS = 10
const MAX_MARKS = 12
/** Rows on which a condition holds at least, unless it is a limit. */
const MIN_ROWS = 2
const MIN_WORD = 3
const ANY_MARK = /[^\p{L}\p{M}\p{N}\s]/gu
/** Marks, but for those inside a number such as `1,250.00`. */
const MARK = /(?<!\p{N})[^\p{L}\p{M}\p{N}\s]|[^\p{L}\p{M}\p{N}\s](?!\p{N})/gu
const WORD = /[\p{L}\p{N}][\p{L}\p{N}'-]*/gu

const COMPARISONS = [
  { op: 'gt', holds: (left: number, right: number) => left > right },
  { op: 'lt', holds: (left: number, right: number) => left < right },
  { op: 'eq', holds: (left: number, right: number) => left === right },
] as const

function wordsOf(text: string): Set<string> {
  const words = [...text.toLowerCase().matchAll(WORD)].map(([word]) => word)
  const found = new Set(words.filter((word) => word.length >= MIN_WORD))
  for (let at = 1; at < words.length; at++) found.add(`${words[at - 1]} ${words[at]}`)
  return found
}

function containing(text: Expr, part: string): Expr {
  return { op: 'contains', text, pattern: literalPattern(part) }
}

/** `contains` conditions for the words and pairs of words that at least two rows share. */
function wordFeatures({ expr, values }: TextNode): Feature[] {
  const counts = new Map<string, number>()
  for (const value of values) {
    if (value !== undefined) for (const word of wordsOf(value)) counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const common = [...counts]
    .filter(([, count]) => count >= 2)
    .toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, MAX_WORDS)
  const lower = values.map((value) => value?.toLowerCase())
  const text = lowered(expr)
  return common.map(([word]) => ({
    expr: containing(text, word),
    cost: costOf(word.includes(' ') ? 'rule.twoWords' : 'rule.word'),
    rows: rowSet(values.length, (row) => lower[row]?.includes(word) === true),
  }))
}

/** `contains` conditions for the marks that some texts hold and others do not. */
function markFeatures({ expr, values }: TextNode): Feature[] {
  const counts = new Map<string, number>()
  const outside = new Set<string>()
  for (const value of values) {
    for (const mark of new Set(value?.match(ANY_MARK))) counts.set(mark, (counts.get(mark) ?? 0) + 1)
    for (const mark of value?.match(MARK) ?? []) outside.add(mark)
  }
  return [...counts]
    .filter(([mark, count]) => outside.has(mark) && count >= MIN_ROWS && count < values.length)
    .slice(0, MAX_MARKS)
    .map(([mark]) => ({
      expr: containing(expr, mark),
      cost: costOf('rule.mark'),
      rows: rowSet(values.length, (row) => values[row]?.includes(mark) === true),
    }))
}

/** A text in lower case. */
export function lowered(text: Expr): Expr {
  return { op: 'lower', text }
}

function edgeFeatures({ expr, values }: TextNode): Feature[] {
  const starts = new Map<string, number>()
  const ends = new Map<string, number>()
  for (const value of values) {
    const words = value?.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu)
    const [first, last] = [words?.[0], words?.at(-1)]
    if (value === undefined || first === undefined || last === undefined) continue
    if (value.startsWith(first)) starts.set(first, (starts.get(first) ?? 0) + 1)
    if (value.endsWith(last)) ends.set(last, (ends.get(last) ?? 0) + 1)
  }
  const common = (counts: ReadonlyMap<string, number>) =>
    [...counts].filter(([, count]) => count >= 2).slice(0, MAX_VALUES)
  return [
    ...common(starts).map(([word]): Feature => ({
      expr: { op: 'startsWith', text: expr, pattern: literalPattern(word) },
      cost: costOf('rule.edge'),
      rows: rowSet(values.length, (row) => values[row]?.startsWith(word) === true),
    })),
    ...common(ends).map(([word]): Feature => ({
      expr: { op: 'endsWith', text: expr, pattern: literalPattern(word) },
      cost: costOf('rule.edge'),
      rows: rowSet(values.length, (row) => values[row]?.endsWith(word) === true),
    })),
  ]
}

function valueFeatures({ expr, values }: TextNode | NumberNode): Feature[] {
  const distinct = new Set<string | number | undefined>(values)
  if (distinct.size > MAX_VALUES) return []
  return [...distinct].flatMap((value): Feature[] =>
    value === undefined
      ? []
      : [
          {
            expr: equals(expr, value),
            cost: costOf('rule.value'),
            rows: rowSet(values.length, (row) => values[row] === value),
          },
        ],
  )
}

/** Limits where the output changes from one value to the next, both ways round. */
export function limitFeatures({ expr, values }: NumberNode, labels: readonly string[]): Feature[] {
  const sorted = values
    .map((value, row) => ({ value, label: labels[row] ?? '' }))
    .filter((entry): entry is { value: number; label: string } => entry.value !== undefined)
    .toSorted((a, b) => a.value - b.value)
  const edges = new Map<number, Limit>()
  const usual = usualLimits(expr)
  for (let i = 1; i < sorted.length && edges.size < MAX_THRESHOLDS; i++) {
    const before = sorted[i - 1]
    const after = sorted[i]
    if (before === undefined || after === undefined || before.value === after.value || before.label === after.label)
      continue
    edges.set(before.value, limitBetween(before.value, after.value, usual))
  }
  return [...edges.values()].flatMap((limit): Feature[] => {
    const above = { left: expr, right: literal(limit.value) }
    const at = (row: number) => {
      const value = values[row]
      return value === undefined ? undefined : passes(value, limit)
    }
    return [
      {
        expr: { op: limit.op, ...above },
        cost: costOf('rule.limit'),
        isLimit: true,
        limit: limit.value,
        rows: rowSet(values.length, (row) => at(row) === true),
      },
      {
        expr: { op: limit.op === 'ge' ? 'lt' : 'le', ...above },
        cost: costOf('rule.limit'),
        isLimit: true,
        limit: limit.value,
        rows: rowSet(values.length, (row) => at(row) === false),
      },
    ]
  })
}

/** The cost of a number that is no member: one that must be read out of a text explains less than a word of that text. */
function readingCost(number: NumberNode): Cost {
  return isMember(number) ? Cost.NONE : number.cost
}

/** One number more or less than another one, or as much. */
function comparisons(numbers: readonly NumberNode[]): Feature[] {
  const [first] = numbers
  const few = numbers.slice(0, MAX_COMPARED)
  const isRange = first !== undefined && isMember(first) && !few.slice(1).some(isMember)
  return few.flatMap((a, at) =>
    numbers.slice(at + 1, at === 0 && isRange ? MAX_ENDS : MAX_COMPARED).flatMap((b) =>
      COMPARISONS.map(({ op, holds }): Feature => ({
        expr: { op, left: a.expr, right: b.expr },
        cost: costOf('rule.comparison').plus(readingCost(a)).plus(readingCost(b)),
        rows: rowSet(a.values.length, (row) => {
          const [left, right] = [a.values[row], b.values[row]]
          return left !== undefined && right !== undefined && holds(left, right)
        }),
      })),
    ),
  )
}

function divisibility({ expr, values }: NumberNode): Feature[] {
  if (!values.every((value) => value === undefined || Number.isInteger(value))) return []
  return [2, 3, 5, 10].flatMap((divisor) =>
    [true, false].map((isDivided): Feature => ({
      expr: {
        op: isDivided ? 'eq' : 'ne',
        left: { op: 'mod', left: expr, right: literal(divisor) },
        right: literal(0),
      },
      cost: costOf('rule.divisible'),
      rows: rowSet(
        values.length,
        (row) => values[row] !== undefined && ((values[row] ?? 0) % divisor === 0) === isDivided,
      ),
    })),
  )
}

/** Conditions on texts, numbers and booleans that at least two rows meet, or one beyond a limit, and that others do not. */
export function featuresOf(scope: Scope, numbers: readonly NumberNode[], labels: readonly string[]): Feature[] {
  const count = scope.count
  const all = [
    ...scope.texts
      .slice(0, 6)
      .flatMap((text) => [...wordFeatures(text), ...markFeatures(text), ...edgeFeatures(text), ...valueFeatures(text)]),
    ...scope.booleans.map(({ expr, values }): Feature => ({
      expr,
      cost: costOf('rule.boolean'),
      rows: rowSet(count, (row) => values[row] === true),
    })),
    ...comparisons(comparedNumbers(numbers.filter(isMember), numbers)),
    ...numbers.flatMap((number) =>
      [...limitFeatures(number, labels), ...valueFeatures(number), ...divisibility(number)].map((feature) => ({
        ...feature,
        cost: feature.cost.plus(readingCost(number)),
      })),
    ),
  ]
  return all.filter(({ rows, isLimit }) => {
    const size = sizeOf(rows)
    return size >= (isLimit === true ? 1 : MIN_ROWS) && size < count
  })
}
