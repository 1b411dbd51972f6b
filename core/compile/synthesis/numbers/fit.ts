import { isSameNumber } from '../../rows/equality/same-output.ts'
import { calculate } from '../../language/primitives/numbers/arithmetic.ts'
import { roundDecimals, roundSignificant } from '../../language/primitives/numbers/rounding.ts'
import { literal } from '../search/build.ts'
import type { NumberNode } from '../search/node.ts'
import { calculation, roundNode, withConstant } from './number-node.ts'
import { fitBound, fitRoundedScale, fitRounding } from './rounding/rounded.ts'
import { fitRoundedLine } from './rounding/rounded-line.ts'
import { isDistinct, isNoLine, isNotMonotone, type NumberTarget, type Sample } from './samples.ts'
import { fitMixedUnits, fitUnits } from './rounding/stepped.ts'
import { commonDivisor, isNatural, numberCost, tidyConstant } from './tidy.ts'
import { Cost, costOf, type FeatureName } from '../ranking/cost.ts'

/** Moduli below this take few values, which some other numbers match by chance. */
const SMALL_MODULUS = 10
/** Numbers by which people divide, with the remainder as the result. */
const USUAL_MODULI = [2, 3, 4, 5, 7, 10, 12, 24, 60, 100, 360, 1000]
const MIN_LINE_ROWS = 4
const STEEP = 1000
/** Returns true when the node gives the target on all its rows. */
export function reaches(node: NumberNode, target: NumberTarget): boolean {
  // A loop, since most nodes miss the target on their first row.
  for (const [i, row] of target.rows.entries()) {
    const [value, wanted] = [node.values[row], target.values[i]]
    if (value === undefined || wanted === undefined || !isWanted(value, wanted, target)) return false
  }
  return true
}

function isWanted(value: number, wanted: number, target: NumberTarget): boolean {
  if (value === wanted || isSameNumber(value, wanted, target.tolerance)) return true
  if (target.digits !== undefined) return roundSignificant(value, target.digits, 'halfUp') === wanted
  return target.isRoundedLater && roundDecimals(value, target.decimals, 'halfUp') === wanted
}

/** More than a sum of numbers is away from the one of decimal arithmetic, as a share of the numbers. */
const FLOAT_ERROR = 1e-8

/** Returns false for a number that no rounding turns into the target: it moves one by less than a unit of the last decimal. */
export function mayBeRoundedTo(value: number | undefined, wanted: number | undefined, target: NumberTarget): boolean {
  if (value === undefined || wanted === undefined) return false
  if (target.digits !== undefined) return true
  const { absolute = 0, relative = 0 } = target.tolerance ?? {}
  const slack = absolute + (relative + FLOAT_ERROR) * Math.max(Math.abs(value), Math.abs(wanted))
  return Math.abs(value - wanted) <= 10 ** -target.decimals + slack
}

/** Ways to round, the usual first. Spreadsheets round halves up, Python and bankers to even. */
const MODES = ['halfUp', 'halfEven', 'floor', 'ceil'] as const

/** Returns the node where it gives the target, or else rounded to the decimals of the target; undefined where neither does. */
export function reaching(node: NumberNode, target: NumberTarget, feature: FeatureName): NumberNode | undefined {
  if (reaches(node, target)) return node
  if (!target.rows.every((row, i) => mayBeRoundedTo(node.values[row], target.values[i], target))) return undefined
  for (const mode of MODES) {
    const cost = costOf(feature).plus(mode === 'halfUp' ? Cost.NONE : costOf(`round.${mode}`))
    const rounded = roundNode(node, target.decimals, mode, cost)
    if (reaches(rounded, target)) return rounded
  }
  return undefined
}

/** The node times a constant; a quotient is multiplied before it is divided, which keeps whole numbers whole. */
function scaled(node: NumberNode, factor: number, cost: Cost): NumberNode {
  const product = withConstant('mul', node, factor, cost)
  const { expr } = node
  if (expr.op !== 'div' || !Number.isInteger(factor)) return product
  return {
    ...product,
    expr: calculation('div', calculation('mul', expr.left, literal(factor)), expr.right),
    values: product.values.map((value) => (value === undefined ? undefined : Number(value.toPrecision(15)))),
  }
}

function* fitScale(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  const anchor = samples.find(({ x }) => x !== 0)
  if (anchor === undefined || !isDistinct(samples, 2)) return
  const ratio = anchor.t / anchor.x
  if (ratio === 1 || ratio === 0 || !samples.every(({ x, t }) => isSameNumber(x * ratio, t))) return
  const factor = tidyConstant(ratio)
  const divisor = tidyConstant(1 / ratio)
  const factorCost = factor === undefined ? Cost.INFINITE : numberCost(factor).with('scale')
  const divisorCost = divisor === undefined ? Cost.INFINITE : numberCost(divisor).with('scale.divisor')
  if (factor === -1) yield { ...withConstant('mul', node, -1, costOf('negate')), expr: { op: 'neg', value: node.expr } }
  else if (factor !== undefined && factorCost.total <= divisorCost.total) yield scaled(node, factor, factorCost)
  else if (divisor !== undefined) yield withConstant('div', node, divisor, divisorCost)
}

function* fitOffset(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  const first = samples[0]
  if (first === undefined || !isDistinct(samples, 2) || isNoLine(samples, 1, first.t - first.x)) return
  const offset = tidyConstant(first.t - first.x)
  if (offset === undefined || offset === 0 || !samples.every(({ x, t }) => isSameNumber(x + offset, t))) return
  yield offset > 0
    ? withConstant('add', node, offset, numberCost(offset).with('offset'))
    : withConstant('sub', node, -offset, numberCost(offset).with('offset'))
}

/** A line whose slope has no short decimal but its inverse has: `(f - 32) / 1.8`. */
function* fitShiftedQuotient(
  node: NumberNode,
  samples: readonly Sample[],
  inverse: number,
  first: Sample,
): Generator<NumberNode> {
  const divisor = tidyConstant(inverse, 6)
  const shift = divisor === undefined ? undefined : tidyConstant(first.x - divisor * first.t, 8)
  if (divisor === undefined || shift === undefined || shift === 0) return
  if (!samples.every(({ x, t }) => isSameNumber((x - shift) / divisor, t))) return
  if (samples.length < MIN_LINE_ROWS && !(isNatural(divisor) && isNatural(shift))) return
  const moved = withConstant(
    shift > 0 ? 'sub' : 'add',
    node,
    Math.abs(shift),
    numberCost(shift).with('shiftedQuotient'),
  )
  yield withConstant('div', moved, divisor, numberCost(divisor).with('shiftedQuotient.divisor'))
}

function* fitLine(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  if (!isDistinct(samples, 3)) return
  const first = samples[0]
  const other = samples.find(({ x }) => x !== first?.x)
  if (first === undefined || other === undefined) return
  const steepness = (other.t - first.t) / (other.x - first.x)
  // The divisor of a steep line has too few digits to identify it: such lines are tried in full.
  if (Math.abs(steepness) < STEEP && isNoLine(samples, steepness, first.t - steepness * first.x)) return
  const slope = tidyConstant(steepness, 6)
  if (slope === undefined) yield* fitShiftedQuotient(node, samples, (other.x - first.x) / (other.t - first.t), first)
  if (slope === undefined || slope === 0 || slope === 1) return
  const offset = tidyConstant(first.t - slope * first.x, 8)
  if (offset === undefined || offset === 0 || !samples.every(({ x, t }) => isSameNumber(slope * x + offset, t))) return
  // Two constants on three rows leave one row to prove them: they must be such as people choose.
  if (samples.length < MIN_LINE_ROWS && !(isNatural(slope) && isNatural(offset))) return
  const cost = costOf('line').plus(numberCost(slope)).plus(numberCost(offset))
  if (slope === -1) {
    yield {
      expr: calculation('sub', literal(offset), node.expr),
      cost: node.cost.plus(cost),
      values: node.values.map((x) => (x === undefined ? undefined : calculate('sub', offset, x))),
    }
    return
  }
  const scaled = withConstant('mul', node, slope, cost)
  yield withConstant(offset > 0 ? 'add' : 'sub', scaled, Math.abs(offset), Cost.NONE)
}

/** The remainder by a usual number, or by the largest one that the rows allow. */
function* fitRemainder(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  if (!samples.every(({ x, t }) => Number.isInteger(x) && Number.isInteger(t) && t >= 0) || !isDistinct(samples, 3))
    return
  const most = Math.max(...samples.map(({ t }) => t))
  for (const modulus of new Set([...USUAL_MODULI, commonDivisor(samples.map(({ x, t }) => x - t)) ?? 0])) {
    if (modulus <= most) continue
    if (samples.every(({ x, t }) => ((x % modulus) + modulus) % modulus === t) && samples.some(({ x, t }) => x !== t)) {
      yield withConstant(
        'mod',
        node,
        modulus,
        numberCost(modulus)
          .with('remainder')
          .when(modulus < SMALL_MODULUS, 'remainder.small')
          .when(modulus >= SMALL_MODULUS && most * 3 < modulus, 'remainder.unshown'),
      )
    }
  }
}

function* fitShape(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  const unary = (op: 'abs' | 'sign', apply: (x: number) => number): NumberNode => ({
    expr: { op, value: node.expr },
    cost: node.cost.with(op),
    values: node.values.map((x) => (x === undefined ? undefined : apply(x))),
  })
  if (samples.some(({ x }) => x < 0)) {
    if (samples.every(({ x, t }) => Math.abs(x) === t)) yield unary('abs', Math.abs)
    if (samples.every(({ x, t }) => Math.sign(x) === t)) yield unary('sign', Math.sign)
  }
  for (const power of [2, 3]) {
    if (samples.every(({ x, t }) => isSameNumber(x ** power, t)) && samples.some(({ x, t }) => x !== t)) {
      yield withConstant('pow', node, power, costOf('power').with('power.exponent', power))
    }
  }
}

/** The number kept above a least value, below a most value, or both: the constants are the extreme targets. */
function* fitClamp(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  if (!isDistinct(samples, 3)) return
  const most = Math.max(...samples.map(({ t }) => t))
  const least = Math.min(...samples.map(({ t }) => t))
  const isCut = samples.some(({ x }) => x > most)
  const isRaised = samples.some(({ x }) => x < least)
  const isClamped = samples.every(({ x, t }) => isSameNumber(Math.max(Math.min(x, most), least), t))
  if ((!isCut && !isRaised) || !isClamped || samples.filter(({ x, t }) => x === t).length < 2) return
  const cut = isCut ? withConstant('min', node, most, numberCost(most).with('clamp.most')) : node
  yield isRaised ? withConstant('max', cut, least, numberCost(least).with('clamp.least')) : cut
}

/**
 * Ways to turn one number into the target: scale, offset, line, rounding, remainder, shape; and where it is a number of
 * the rows rather than a formula, units and the parts of mixed units.
 */
export function* fitNumber(node: NumberNode, target: NumberTarget, isColumn = false): Generator<NumberNode> {
  const samples: Sample[] = []
  for (const [i, row] of target.rows.entries()) {
    const x = node.values[row]
    const t = target.values[i]
    if (x === undefined || t === undefined) return
    samples.push({ x, t })
  }
  const monotone = isNotMonotone(samples)
    ? []
    : [
        fitScale(node, samples),
        fitOffset(node, samples),
        fitLine(node, samples),
        fitRounding(node, samples, target),
        fitBound(node, samples, target),
        fitRoundedScale(node, samples, target),
        fitClamp(node, samples),
        ...(isColumn ? [fitUnits(node, samples), fitRoundedLine(node, samples, target)] : []),
      ]
  const fits = [
    ...monotone,
    fitRemainder(node, samples),
    fitShape(node, samples),
    ...(isColumn ? [fitMixedUnits(node, samples)] : []),
  ]
  for (const fit of fits) for (const found of fit) if (reaches(found, target)) yield found
}
