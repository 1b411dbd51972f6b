import { isSameNumber } from '../../../rows/equality/same-output.ts'
import type { RoundMode } from '../../../language/names.ts'
import { roundDecimals, roundSignificant, roundToStep } from '../../../language/primitives/numbers/rounding.ts'
import type { NumberNode } from '../../search/node.ts'
import { roundNode, significantNode, stepNode, withConstant } from '../number-node.ts'
import { isDistinct, type NumberTarget, type Sample } from '../samples.ts'
import {
  commonDivisor,
  decimalsOf,
  digitsOf,
  fittedCost,
  fittedDivisorCost,
  isNatural,
  isWellKnown,
  numberCost,
  simplestBetween,
  tidyConstant,
} from '../tidy.ts'
import { costOf, type Cost, type FeatureName } from '../../ranking/cost.ts'

const MODES: readonly {
  readonly mode: RoundMode
  readonly feature: FeatureName
  readonly low: number
  readonly high: number
}[] = [
  { mode: 'halfUp', feature: 'round.halfUp', low: -0.5, high: 0.5 },
  { mode: 'floor', feature: 'round.floor', low: 0, high: 1 },
  { mode: 'ceil', feature: 'round.ceil', low: -1, high: 0 },
]
/** Modes that differ from `halfUp` on ties only: the rows must show a tie before one of these is needed. */
const TIE_MODES = [
  { mode: 'halfEven', feature: 'round.halfEven' },
  { mode: 'halfDown', feature: 'round.halfDown' },
] as const
const STEP_MODES = [
  { mode: 'floor', feature: 'round.floor' },
  { mode: 'ceil', feature: 'round.ceil' },
] as const
/** Modes that differ from `floor` and `ceil` below zero. */
const SIGNED_MODES = [
  { mode: 'truncate', feature: 'round.truncate' },
  { mode: 'expand', feature: 'round.expand' },
] as const
const MAX_SIGNIFICANT = 6
const STEPS = [
  0.25, 0.5, 0.05, 2, 3, 4, 5, 10, 12, 15, 20, 25, 30, 50, 60, 100, 200, 250, 500, 1000, 5000, 10_000,
] as const

/** The usual steps, and the largest one whose multiples are all targets. */
function stepsOf(values: readonly number[]): readonly number[] {
  const scale = 10 ** decimalsOf(values)
  const own = (commonDivisor(values.map((t) => Math.round(t * scale))) ?? 0) / scale
  return own === 0 || STEPS.some((known) => known === own) || digitsOf(own) > 2 ? STEPS : [...STEPS, own]
}

/** Conditions that rounding sets on a target, whatever number is rounded. */
interface RoundedTarget {
  readonly isVaried: boolean
  /** Most significant digits of a value. */
  readonly digits: number
  /** Steps whose multiples all values are. */
  readonly steps: readonly number[]
  /** Steps of which all values are as many apart; none when the values are all the same. */
  readonly apart: readonly number[]
}

const known = new WeakMap<NumberTarget, RoundedTarget>()

function roundedTarget(target: NumberTarget): RoundedTarget {
  const made = known.get(target)
  if (made !== undefined) return made
  const { values } = target
  const [first = 0] = values
  const isWhole = (ratio: number) => isSameNumber(ratio, Math.round(ratio))
  const isVaried = values.some((value) => value !== first)
  const facts: RoundedTarget = {
    isVaried,
    digits: Math.max(...values.map(digitsOf)),
    steps: stepsOf(values).filter((step) => values.every((t) => isWhole(t / step))),
    apart: isVaried ? [1, ...STEPS].filter((step) => values.every((t) => isWhole((t - first) / step))) : [],
  }
  known.set(target, facts)
  return facts
}

/** Returns the cost of a step to whose multiples a number is rounded. */
function stepCost(step: number): Cost {
  return costOf('round.step').plus(numberCost(step).share('round.step'))
}

/** The number rounded to decimals or to a multiple of a step. */
export function* fitRounding(
  node: NumberNode,
  samples: readonly Sample[],
  target: NumberTarget,
): Generator<NumberNode> {
  if (samples.every(({ x, t }) => x === t)) return
  for (const decimals of new Set([target.decimals, 0, -1, -2, -3])) {
    if (decimals > target.decimals || decimals > 6) continue
    const unit = 10 ** -decimals
    if (!samples.every(({ x, t }) => Math.abs(x - t) <= unit * 1.0001)) continue
    for (const { mode, feature } of MODES) {
      if (samples.every(({ x, t }) => roundDecimals(x, decimals, mode) === t)) {
        yield roundNode(node, decimals, mode, costOf(feature).when(decimals < 0, 'round.beforePoint'))
      }
    }
    const isPlain = samples.every(({ x, t }) => roundDecimals(x, decimals, 'halfUp') === t)
    for (const { mode, feature } of TIE_MODES) {
      if (!isPlain && samples.every(({ x, t }) => roundDecimals(x, decimals, mode) === t))
        yield roundNode(node, decimals, mode, costOf(feature))
    }
    for (const { mode, feature } of samples.some(({ x }) => x < 0) ? SIGNED_MODES : []) {
      if (samples.every(({ x, t }) => roundDecimals(x, decimals, mode) === t))
        yield roundNode(node, decimals, mode, costOf(feature))
    }
  }
  const { digits, steps } = roundedTarget(target)
  // A unit of the last significant digit is at most this part of the number.
  const part = 10 ** (1 - digits) * 1.0001
  const isClose = digits <= MAX_SIGNIFICANT && samples.every(({ x, t }) => Math.abs(x - t) <= Math.abs(x) * part)
  for (const { mode, feature } of isClose ? MODES : []) {
    if (samples.every(({ x, t }) => roundSignificant(x, digits, mode) === t))
      yield significantNode(node, digits, mode, costOf(feature).with('round.digits'))
  }
  for (const step of steps) {
    if (!samples.every(({ x, t }) => Math.abs(t - x) < step * 1.0001)) continue
    for (const { mode, feature } of MODES) yield stepNode(node, step, mode, stepCost(step).with(feature))
  }
}

/** A bound of a range: the multiple of a step below or above the number, and a constant from there. */
export function* fitBound(node: NumberNode, samples: readonly Sample[], target: NumberTarget): Generator<NumberNode> {
  const { apart } = roundedTarget(target)
  const first = samples[0]
  if (apart.length === 0 || first === undefined || !isDistinct(samples, 3)) return
  for (const step of apart) {
    if (!samples.every(({ x, t }) => Math.abs(t - x) <= 2 * step)) continue
    for (const { mode, feature } of STEP_MODES) {
      const start = roundToStep(first.x, step, mode)
      const offset = start === undefined ? undefined : tidyConstant(first.t - start)
      if (offset === undefined || offset === 0 || Math.abs(offset) > step) continue
      if (!samples.every(({ x, t }) => isSameNumber((roundToStep(x, step, mode) ?? Number.NaN) + offset, t))) continue
      const stepped = stepNode(node, step, mode, stepCost(step).with(feature))
      // The ends of a range lie a step apart, or one less.
      const isEnd = Math.abs(offset) === step || Math.abs(offset) === step - 1 || Math.abs(offset) === 1
      const extra = isEnd ? costOf('bound.end') : numberCost(offset).with('bound.offset')
      yield withConstant(offset > 0 ? 'add' : 'sub', stepped, Math.abs(offset), extra)
    }
  }
}

/** The target is a scaled value that was rounded: the factor lies where the rows' intervals meet. */
export function* fitRoundedScale(
  node: NumberNode,
  samples: readonly Sample[],
  target: NumberTarget,
): Generator<NumberNode> {
  if (!roundedTarget(target).isVaried || !isDistinct(samples, 3)) return
  if (samples.some(({ x, t }) => x === 0 && t !== 0)) return
  const unit = 10 ** -target.decimals
  for (const { mode, feature, low, high } of MODES) {
    let from = -Infinity
    let to = Infinity
    for (const { x, t } of samples) {
      if (x === 0) continue
      const a = (t + low * unit) / x
      const b = (t + high * unit) / x
      from = Math.max(from, Math.min(a, b))
      to = Math.min(to, Math.max(a, b))
    }
    if (from > to || from <= 0) continue
    const factor = simplestBetween(from, to)
    const divisor = simplestBetween(1 / to, 1 / from)
    const round = (scaled: NumberNode, constant: number) =>
      target.isRoundedLater && mode === 'halfUp'
        ? scaled
        : roundNode(
            scaled,
            target.decimals,
            mode,
            mode === 'halfUp' || isWellKnown(constant)
              ? costOf(feature)
              : costOf(feature).with(isNatural(constant) ? 'round.naturalScale' : 'round.otherScale'),
          )
    if (factor !== undefined && factor !== 1)
      yield round(withConstant('mul', node, factor, fittedCost(factor).with('scale.rounded')), factor)
    if (divisor !== undefined && divisor !== 1)
      yield round(withConstant('div', node, divisor, fittedDivisorCost(divisor).with('scale.rounded')), divisor)
  }
}
