import { isSameNumber } from '../../rows/equality/same-output.ts'
import type { NumberNode } from '../search/node.ts'
import { combine, withConstant } from './number-node.ts'
import { isDistinct, type NumberTarget, type Sample } from './samples.ts'
import { numberCost, tidyConstant } from './tidy.ts'
import { costOf } from '../ranking/cost.ts'

/** A curve through fewer points is no evidence. */
const MIN_POINTS = 4
/** A curve with an offset takes three constants. */
const MIN_OFFSET_POINTS = 5
const MAX_DIGITS = 4

/** The coefficients of `a * x * x + b * x + c` through three samples with different numbers. */
function curveThrough(p: Sample, q: Sample, r: Sample): { readonly a: number; readonly b: number; readonly c: number } {
  const slope = (q.t - p.t) / (q.x - p.x)
  const a = ((r.t - p.t) / (r.x - p.x) - slope) / (r.x - q.x)
  const b = slope - a * (p.x + q.x)
  return { a, b, c: p.t - p.x * (a * p.x + b) }
}

/** The distance from a number to the second factor of a product that is a curve through all samples. */
function factorDistance(samples: readonly Sample[]): number | undefined {
  const [p] = samples
  const q = samples.find(({ x }) => x !== p?.x)
  const r = samples.find(({ x }) => x !== p?.x && x !== q?.x)
  if (p === undefined || q === undefined || r === undefined) return undefined
  const { a, b, c } = curveThrough(p, q, r)
  if (!samples.every(({ x, t }) => isSameNumber(x * (a * x + b) + c, t))) return undefined
  if (Math.abs(c) > 1e-6 && !isDistinct(samples, MIN_OFFSET_POINTS)) return undefined
  return tidyConstant(b / a, MAX_DIGITS)
}

/**
 * Squares of a number, and products of it and a number at a constant distance, which with a factor and an offset may be the
 * target: an area of a circle, the pairs among so many people.
 */
export function* polynomials(node: NumberNode, { rows, values }: NumberTarget): Generator<NumberNode> {
  const samples = rows.map((row, i) => ({ x: node.values[row] ?? Number.NaN, t: values[i] ?? Number.NaN }))
  if (!isDistinct(samples, MIN_POINTS)) return
  yield withConstant('pow', node, 2, costOf('factor.square'))
  const distance = factorDistance(samples)
  if (distance === undefined || distance === 0) return
  const op = distance > 0 ? 'add' : 'sub'
  const other = withConstant(op, node, Math.abs(distance), numberCost(distance).with('offset'))
  yield combine('mul', node, other, costOf('multiply'))
}
