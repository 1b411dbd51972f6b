import { isSameNumber } from '../../rows/equality/same-output.ts'
import type { RoundMode } from '../../language/names.ts'
import { roundDecimals, roundSignificant, roundToStep } from '../../language/primitives/numbers/rounding.ts'
import type { NumberNode } from '../search/node.ts'
import { roundNode, significantNode, stepNode, withConstant } from './number-node.ts'
import { isDistinct, type NumberTarget, type Sample } from './samples.ts'
import {
  decimalsOf,
  digitsOf,
  fittedCost,
  fittedDivisorCost,
  isNatural,
  isWellKnown,
  numberCost,
  simplestBetween,
  tidyConstant,
} from './tidy.ts'
import { costOf, type Cost, type FeatureName } from '../ranking/cost.ts'

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
function stepsOf(samples: readonly Sample[]): readonly number[] {
  const scale = 10 ** decimalsOf(samples.map(({ t }) => t))
  let step = 0
  for (const { t } of samples)
    for (let rest = Math.round(Math.abs(t) * scale); rest !== 0;) [step, rest] = [rest, step % rest]
  const own = step / scale
  return step === 0 || STEPS.some((known) => known === own) || digitsOf(own) > 2 ? STEPS : [...STEPS, own]
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
  const digits = Math.max(...samples.map(({ t }) => digitsOf(t)))
  for (const { mode, feature } of digits <= MAX_SIGNIFICANT ? MODES : []) {
    if (samples.every(({ x, t }) => roundSignificant(x, digits, mode) === t))
      yield significantNode(node, digits, mode, costOf(feature).with('round.digits'))
  }
  for (const step of stepsOf(samples)) {
    if (!samples.every(({ x, t }) => Math.abs(t - x) < step * 1.0001 && isSameNumber(t / step, Math.round(t / step))))
      continue
    for (const { mode, feature } of MODES) yield stepNode(node, step, mode, stepCost(step).with(feature))
  }
}

/** A bound of a range: the multiple of a step below or above the number, and a constant from there. */
export function* fitBound(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  if (!isDistinct(samples, 3) || new Set(samples.map(({ t }) => t)).size < 2) return
  const first = samples[0]
  if (first === undefined) return
  for (const step of [1, ...STEPS]) {
    if (
      !samples.every(
        ({ x, t }) =>
          Math.abs(t - x) <= 2 * step && isSameNumber((t - first.t) / step, Math.round((t - first.t) / step)),
      )
    )
      continue
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
  if (!isDistinct(samples, 3) || samples.some(({ x, t }) => x === 0 && t !== 0)) return
  if (new Set(samples.map(({ t }) => t)).size < 2) return
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
