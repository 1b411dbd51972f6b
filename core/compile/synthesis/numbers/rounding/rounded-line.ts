import type { NumberNode } from '../../search/node.ts'
import { roundNode, withConstant } from '../number-node.ts'
import { areShorter, isDistinct, isNoLine, type NumberTarget, type Sample } from '../samples.ts'
import { fittedCost, isConversion, simplestBetween } from '../tidy.ts'
import { costOf } from '../../ranking/cost.ts'

/** Two constants and a rounding need rows that prove them. */
const MIN_ROWS = 5
/** Rows between which slopes are compared; every row is checked in the end. */
const MAX_COMPARED = 40
const MODES = [
  { mode: 'halfUp', feature: 'round.halfUp', low: -0.5, high: 0.5 },
  { mode: 'floor', feature: 'round.floor', low: 0, high: 1 },
  { mode: 'ceil', feature: 'round.ceil', low: -1, high: 0 },
] as const
const ROUNDINGS = MODES.map(({ mode, feature, low, high }) => ({
  low,
  high,
  rounded: (line: NumberNode, { decimals, isRoundedLater }: NumberTarget): NumberNode =>
    isRoundedLater && mode === 'halfUp' ? line : roundNode(line, decimals, mode, costOf(feature)),
}))

/** The least and the most that a value may be. */
type Range = readonly [least: number, most: number]

/** Slopes with which any two rows are as far apart as their targets, each of which was rounded by less than a unit. */
function slopesOf(samples: readonly Sample[], unit: number): Range | undefined {
  let [from, to] = [-Infinity, Infinity]
  for (const [at, { x, t }] of samples.entries()) {
    for (const other of samples.slice(at + 1)) {
      const run = x - other.x
      if (run === 0) continue
      const ends = [(t - other.t - unit) / run, (t - other.t + unit) / run]
      from = Math.max(from, Math.min(...ends))
      to = Math.min(to, Math.max(...ends))
      if (from > to) return undefined
    }
  }
  return [from, to]
}

/** The most and the least that a row has beyond its scaled value: what is added lies between, within the rounding. */
function offsetsOf(samples: readonly Sample[], scale: (x: number) => number): Range {
  const rests = samples.map(({ x, t }) => t - scale(x))
  return [Math.max(...rests), Math.min(...rests)]
}

function moved(node: NumberNode, offset: number): NumberNode {
  return withConstant(offset > 0 ? 'add' : 'sub', node, Math.abs(offset), fittedCost(offset))
}

/** A line of which every value was rounded: degrees of another scale, a fee and a charge for each unit. */
export function* fitRoundedLine(
  node: NumberNode,
  samples: readonly Sample[],
  target: NumberTarget,
): Generator<NumberNode> {
  const first = samples[0]
  const last = samples.find(({ x }) => x !== first?.x)
  if (first === undefined || last === undefined || samples.length < MIN_ROWS || !isDistinct(samples, MIN_ROWS)) return
  const steepness = (last.t - first.t) / (last.x - first.x)
  if (!isNoLine(samples, steepness, first.t - steepness * first.x)) return
  const unit = 10 ** -target.decimals
  const slopes = slopesOf(samples.slice(0, MAX_COMPARED), unit)
  if (slopes === undefined || slopes[0] * slopes[1] <= 0) return
  yield* quotients(node, samples, target, slopes)
  const slope = simplestBetween(...slopes)
  if (slope === undefined || slope === 0) return
  const scaled = slope === 1 ? node : withConstant('mul', node, slope, costOf('line').plus(fittedCost(slope)))
  const [least, most] = offsetsOf(samples, (x) => slope * x)
  for (const { low, high, rounded } of ROUNDINGS) {
    const offset = simplestBetween(least + low * unit, most + high * unit)
    if (offset === undefined || offset === 0 || !areShorter([slope, offset], target)) continue
    yield rounded(moved(scaled, offset), target)
  }
}

/** Degrees of another scale: a difference that is divided by a factor between units, of which the slope is a long fraction. */
function* quotients(node: NumberNode, samples: readonly Sample[], target: NumberTarget, slopes: Range) {
  const [least, most] = slopes
  const divisor = simplestBetween(1 / most, 1 / least)
  if (divisor === undefined || !isConversion(divisor)) return
  const unit = 10 ** -target.decimals
  const [from, to] = offsetsOf(samples, (x) => x / divisor)
  for (const { low, high, rounded } of ROUNDINGS) {
    const offset = simplestBetween((from + low * unit) * divisor, (to + high * unit) * divisor)
    if (offset === undefined || offset === 0 || !areShorter([divisor, offset], target)) continue
    const quotient = withConstant('div', moved(node, offset), divisor, costOf('line').plus(fittedCost(divisor)))
    yield rounded(quotient, target)
  }
}
