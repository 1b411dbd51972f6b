import { calculation, combine, withConstant } from '../number-node.ts'
import { literal } from '../../search/build.ts'
import type { Budget } from '../../search/budget.ts'
import type { NumberNode } from '../../search/node.ts'
import { mayBeRoundedTo, reaching } from '../fit.ts'
import { areShorter, type NumberTarget } from '../samples.ts'
import { isNatural, numberCost, simplestBetween } from '../tidy.ts'
import { costOf } from '../../ranking/cost.ts'

const MAX_NODES = 7
const MAX_TERMS = 3
const MAX_DIGITS = 4
/** Weights of marks and shares are quarters or multiples of five percent. */
const PARTS_OF_ONE = [4, 20] as const

/** Solves the normal equations of a least-squares fit by elimination; undefined when the columns depend on each other. */
export function leastSquares(columns: readonly (readonly number[])[], target: readonly number[]): number[] | undefined {
  const size = columns.length
  const rows = columns.map((a) => [
    ...columns.map((b) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0)),
    a.reduce((sum, x, i) => sum + x * (target[i] ?? 0), 0),
  ])
  for (let at = 0; at < size; at++) {
    let pivot = at
    for (let row = at + 1; row < size; row++) {
      if (Math.abs(rows[row]?.[at] ?? 0) > Math.abs(rows[pivot]?.[at] ?? 0)) pivot = row
    }
    const chosen = rows[pivot]
    const current = rows[at]
    if (chosen === undefined || current === undefined || Math.abs(chosen[at] ?? 0) < 1e-9) return undefined
    rows[pivot] = current
    rows[at] = chosen
    for (const [row, values] of rows.entries()) {
      if (row === at) continue
      const factor = (values[at] ?? 0) / (chosen[at] ?? 1)
      for (let column = at; column <= size; column++)
        values[column] = (values[column] ?? 0) - factor * (chosen[column] ?? 0)
    }
  }
  return rows.map((values, at) => (values[size] ?? 0) / (values[at] ?? 1))
}

function weighted(node: NumberNode, weight: number): NumberNode {
  return weight === 1 ? node : withConstant('mul', node, weight, numberCost(weight).with('weightedSum.weight'))
}

function sumOf(terms: readonly NumberNode[], weights: readonly number[], offset: number): NumberNode | undefined {
  let sum: NumberNode | undefined
  for (const [at, term] of terms.entries()) {
    const weight = weights[at] ?? 0
    if (weight === 0) return undefined
    if (sum === undefined) sum = weighted(term, weight)
    else if (weight < 0) sum = combine('sub', sum, weighted(term, -weight), costOf('subtract'))
    else sum = combine('add', sum, weighted(term, weight), costOf('add'))
  }
  if (sum === undefined || offset === 0) return sum
  return offset > 0
    ? withConstant('add', sum, offset, numberCost(offset).with('weightedSum.offset'))
    : {
        ...withConstant('sub', sum, -offset, numberCost(offset).with('weightedSum.offset')),
        expr: calculation('sub', sum.expr, literal(-offset)),
      }
}

/**
 * Returns true when the rows determine the weights: unusual weights must be fewer than the rows by two, and have fewer
 * digits than the numbers that they explain.
 */
export function isProven(weights: readonly number[], target: NumberTarget): boolean {
  if (weights.every(isNatural)) return true
  return weights.length < target.values.length - 1 && areShorter(weights, target)
}

/** Digits of weights that people choose. */
const NATURAL_DIGITS = [1, 2] as const

/**
 * Weights and an offset such as people choose, with which the sum gives the target when it is rounded down or up. A fit by
 * least squares is half a unit beside that offset, and its weights take up the difference.
 */
export function* biasedWeights(
  columns: readonly (readonly number[])[],
  fitted: readonly number[],
  { values, decimals }: NumberTarget,
): Generator<readonly number[]> {
  const unit = 10 ** -decimals
  for (const digits of NATURAL_DIGITS) {
    const weights = columns.map((_, at) => Number((fitted[at] ?? 0).toPrecision(digits)))
    const gaps = values.map((value, row) => {
      const sum = columns.reduce((part, column, at) => part + (column[row] ?? 0) * (weights[at] ?? 0), 0)
      return Number((value - sum).toPrecision(12))
    })
    const [least, most] = [Math.min(...gaps), Math.max(...gaps)]
    if (!(most - least > 0 && most - least < unit)) continue
    for (const [from, to] of [
      [most, least + unit],
      [most - unit, least],
    ] as const) {
      const offset = from <= 0 && to >= 0 ? 0 : simplestBetween(from, to)
      if (offset !== undefined && [...weights, offset].every(isNatural)) yield [...weights, offset]
    }
  }
}

function* choices(count: number): Generator<number[]> {
  for (let a = 0; a < count; a++) {
    for (let b = a + 1; b < count; b++) {
      yield [a, b]
      if (MAX_TERMS > 2) for (let c = b + 1; c < count; c++) yield [a, b, c]
    }
  }
}

/** Returns false where weights miss the target by more than its rounding: most do, and their sums need not be written. */
function mayReach(columns: readonly (readonly number[])[], weights: readonly number[], target: NumberTarget): boolean {
  const offset = weights[columns.length] ?? 0
  return target.values.every((wanted, row) => {
    const sum = columns.reduce((part, column, at) => part + (column[row] ?? 0) * (weights[at] ?? 0), offset)
    return mayBeRoundedTo(sum, wanted, target)
  })
}

/** The fitted weights with few digits, those first that people prefer: one digit, quarters and twentieths, two digits and more. */
function* tidied(fitted: readonly number[]): Generator<readonly number[]> {
  const written = (digits: number) =>
    fitted.map((weight) => (Math.abs(weight) < 1e-6 ? 0 : Number(weight.toPrecision(digits))))
  yield written(1)
  for (const parts of PARTS_OF_ONE) {
    if (fitted.every((weight) => Math.abs(weight) < 1)) yield fitted.map((weight) => Math.round(weight * parts) / parts)
  }
  for (let digits = 2; digits <= MAX_DIGITS; digits++) yield written(digits)
}

/** Sums of two or three numbers with weights (and an offset) that the rows determine: more rows than unknowns. */
export function* weightedSums(
  nodes: readonly NumberNode[],
  target: NumberTarget,
  budget: Budget,
): Generator<NumberNode> {
  // A curve through the rows is always found, and hardly ever meant.
  const few = nodes.filter(({ expr }) => expr.op !== 'pow').slice(0, MAX_NODES)
  const values = few.map((node) => target.rows.map((row) => node.values[row] ?? Number.NaN))
  const ones = target.rows.map(() => 1)
  for (const chosen of choices(few.length)) {
    const terms = chosen.flatMap((at) => few[at] ?? [])
    const columns = chosen.flatMap((at) => [values[at] ?? []])
    for (const hasOffset of [false, true]) {
      const unknowns = columns.length + (hasOffset ? 1 : 0)
      if (target.rows.length <= unknowns) continue
      budget.spend(4)
      const fitted = leastSquares(hasOffset ? [...columns, ones] : columns, target.values)
      if (fitted === undefined || fitted.some((weight) => !Number.isFinite(weight))) continue
      for (const tidy of tidied(fitted)) {
        if (!isProven(tidy, target) || !mayReach(columns, tidy, target)) continue
        const sum = sumOf(terms, tidy, hasOffset ? (tidy.at(-1) ?? 0) : 0)
        if (sum === undefined) continue
        const found = reaching(sum, target, 'weightedSum.rounded')
        if (found === undefined) continue
        yield found
        break
      }
      for (const biased of hasOffset ? biasedWeights(columns, fitted, target) : []) {
        const sum = sumOf(terms, biased, biased.at(-1) ?? 0)
        const found = sum === undefined ? undefined : reaching(sum, target, 'weightedSum.rounded')
        if (found !== undefined) yield found
      }
    }
  }
}
