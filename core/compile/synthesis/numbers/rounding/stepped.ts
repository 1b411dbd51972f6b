import { isSameNumber } from '../../../rows/equality/same-output.ts'
import type { NumberNode } from '../../search/node.ts'
import { roundNode, withConstant } from '../number-node.ts'
import { isDistinct, isNoLine, type Sample } from '../samples.ts'
import { isNatural, isWellKnown, numberCost, tidyConstant } from '../tidy.ts'
import { Cost, costOf } from '../../ranking/cost.ts'

/** Sizes of the units that things are counted or charged in. */
const UNIT_SIZES = [
  0.25, 0.5, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 25, 30, 40, 50, 60, 100, 120, 150, 200, 250, 500, 1000, 5000, 10_000,
] as const
const NOISE = 1e-9
const MODES = [
  { mode: 'ceil', feature: 'units.ceil', count: (x: number) => Math.ceil(x - NOISE) },
  { mode: 'floor', feature: 'units.floor', count: (x: number) => Math.floor(x + NOISE) },
  { mode: 'halfUp', feature: 'units.halfUp', count: (x: number) => Math.floor(x + 0.5 + NOISE) },
] as const
/** Units within units: a smaller one in the base unit, and how many of it the next one holds. */
const MIXED_RADICES: readonly (readonly [number, number])[] = [
  [60, 60],
  [3600, 24],
  [60, 24],
  [24, 7],
  [12, 12],
  [100, 100],
  [1000, 1000],
  [10, 10],
  [7, 4],
  [8, 8],
  [16, 16],
  [1024, 1024],
]
const MIN_ROWS = 3
/** Rows needed to separate a unit's price from a basic charge. */
const MIN_CHARGED_ROWS = 4

/** Returns true for a plausible unit: a whole number, or half or a quarter of one. */
function isPrice(value: number): boolean {
  return isNatural(value) && Number.isInteger(value * 4)
}

/** Started units, each at a price, and perhaps a basic charge: `ceil(minutes / 15) * 0.25`. */
export function* fitUnits(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  if (samples.length < MIN_ROWS || !isDistinct(samples, 2)) return
  for (const size of UNIT_SIZES) {
    for (const { mode, feature, count } of MODES) {
      const counted = samples.map(({ x, t }) => ({ x: count(x / size), t }))
      const first = counted[0]
      const other = counted.find(({ x }) => x !== first?.x)
      if (first === undefined || other === undefined) continue
      const steepness = (other.t - first.t) / (other.x - first.x)
      if (steepness <= 0 || isNoLine(counted, steepness, first.t - steepness * first.x)) continue
      const rate = tidyConstant(steepness, 6)
      const basic = rate === undefined ? undefined : tidyConstant(first.t - rate * first.x, 8)
      if (rate === undefined || basic === undefined || rate <= 0) continue
      // A plain quotient or multiple that is rounded needs no units.
      if (basic === 0 && (rate === size || rate === 1)) continue
      if (!counted.every(({ x, t }) => isSameNumber(rate * x + basic, t))) continue
      // A basic charge is one more thing to be free to choose.
      const isCharged = basic !== 0 && rate !== 1
      if (basic !== 0 && (!isDistinct(counted, 3) || !isNatural(basic))) continue
      if (isCharged && (samples.length < MIN_CHARGED_ROWS || basic < 0 || !isPrice(rate) || !isPrice(basic))) continue
      const sizeCost = numberCost(size).share('units.size').with('units').when(!isWellKnown(size), 'units.unusualSize')
      const units = roundNode(withConstant('div', node, size, sizeCost), 0, mode, costOf(feature))
      const priced = rate === 1 ? units : withConstant('mul', units, rate, numberCost(rate).with('units.rate'))
      yield basic === 0
        ? priced
        : withConstant(basic > 0 ? 'add' : 'sub', priced, Math.abs(basic), numberCost(basic).with('units.basic'))
    }
  }
}

/** The middle digit of a number in mixed units: the minutes in a number of seconds, beside its hours. */
export function* fitMixedUnits(node: NumberNode, samples: readonly Sample[]): Generator<NumberNode> {
  if (samples.length < MIN_ROWS || !isDistinct(samples, 3)) return
  if (!samples.every(({ x, t }) => x >= 0 && Number.isInteger(t) && t >= 0)) return
  if (new Set(samples.map(({ t }) => t)).size < 2) return
  for (const [size, count] of MIXED_RADICES) {
    const isRight = samples.every(({ x, t }) => Math.floor(x / size) % count === t)
    if (!isRight || samples.every(({ x }) => x < size * count)) continue
    const units = roundNode(withConstant('div', node, size, costOf('mixedUnits')), 0, 'floor', Cost.NONE)
    yield withConstant(
      'mod',
      units,
      count,
      costOf(size === 60 || size === 3600 ? 'mixedUnits.time' : 'mixedUnits.other'),
    )
  }
}
