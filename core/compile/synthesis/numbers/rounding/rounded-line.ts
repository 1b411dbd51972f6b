import type { NumberNode } from '../../search/node.ts'
import { roundNode, withConstant } from '../number-node.ts'
import { areShorter, isDistinct, isNoLine, type NumberTarget, type Sample } from '../samples.ts'
import { fittedCost, simplestBetween } from '../tidy.ts'
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
  const slope = simplestBetween(...slopes)
  if (slope === undefined || slope === 0) return
  for (const { mode, feature, low, high } of MODES) {
    const rests = samples.map(({ x, t }) => t - slope * x)
    const offset = simplestBetween(Math.max(...rests) + low * unit, Math.min(...rests) + high * unit)
    if (offset === undefined || offset === 0 || !areShorter([slope, offset], target)) continue
    const scaled = slope === 1 ? node : withConstant('mul', node, slope, costOf('line').plus(fittedCost(slope)))
    const moved = withConstant(offset > 0 ? 'add' : 'sub', scaled, Math.abs(offset), fittedCost(offset))
    yield target.isRoundedLater && mode === 'halfUp' ? moved : roundNode(moved, target.decimals, mode, costOf(feature))
  }
}
