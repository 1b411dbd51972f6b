import { formatPercent } from './format.ts'
import { isEqual, listOf, numberOf, textOf, toFloat, toValue, written, type Value } from './values.ts'

type Operator = (left: Value, right: Value) => Value

const ORDERS: Readonly<Record<string, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
}

/** Operators that compare: a chain of them is refused, which Python reads otherwise than from left to right. */
export const COMPARISONS: ReadonlySet<string> = new Set(['==', '!=', ...Object.keys(ORDERS)])

/** Operators that the library has not, or not as Python has them. Each throws an `Error` for values that it does not take. */
export const OPERATORS: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['==', (left, right) => toValue(isEqual(left, right))],
  ['!=', (left, right) => toValue(!isEqual(left, right))],
  ...Object.entries(ORDERS).map(
    ([name, holds]) =>
      [name, (left, right) => toValue(holds(orderOf(left, right)))] as const satisfies [string, Operator],
  ),
  ['~', (left, right) => toValue(written(left) + written(right))],
  ['%', remainder],
])

function orderOf(left: Value, right: Value): number {
  const [a, b] = [numberOf(left), numberOf(right)]
  if (a !== null && b !== null) return a - b
  const [textA, textB] = [textOf(left), textOf(right)]
  if (textA !== null && textB !== null) return textA === textB ? 0 : byCodePoints(textA, textB)
  const [listA, listB] = [listOf(left), listOf(right)]
  if (listA === null || listB === null) throw new Error('orders values that have no order')
  for (const [at, each] of listA.entries()) {
    const other = listB[at]
    if (other === undefined) return 1
    if (!isEqual(each, other)) return orderOf(each, other)
  }
  return listA.length - listB.length
}

function byCodePoints(a: string, b: string): number {
  const [pointsA, pointsB] = [Array.from(a), Array.from(b)]
  const at = pointsA.findIndex((point, place) => point !== pointsB[place])
  return at < 0 ? -1 : (pointsA[at]?.codePointAt(0) ?? -1) - (pointsB[at]?.codePointAt(0) ?? -1)
}

/** The remainder of numbers, which has the sign of the divisor, or a text with its values put in. */
function remainder(left: Value, right: Value): Value {
  const text = textOf(left)
  if (text !== null) return toValue(formatPercent(text, right.type === 'TupleValue' ? (listOf(right) ?? []) : [right]))
  const [a, b] = [numberOf(left), numberOf(right)]
  if (a === null || b === null) throw new Error('takes the remainder of values that are no numbers')
  if (b === 0) throw new Error('takes a remainder by zero')
  const rest = a - b * Math.floor(a / b)
  return [left, right].some(({ type }) => type === 'FloatValue') ? toFloat(rest) : toValue(rest)
}
