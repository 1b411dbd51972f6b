import { mean } from './means.ts'
import { normalCdf, normalQuantile } from './normal.ts'
import { createPythonRandom } from './python-random.ts'
import type { Interval } from './wilson-interval.ts'

/** Settings of a bootstrap. */
export interface BootstrapOptions {
  readonly resamples: number
  /** The same seed gives the same interval. */
  readonly seed: number
  /** Of values that come in clusters: whole clusters are drawn. */
  readonly clusters?: readonly string[] | undefined
}

const TAIL = 0.025

/**
 * Returns the 95 % interval of a mean by the bootstrap with bias correction and acceleration (Efron, JASA 82, 1987), as
 * `scipy.stats.bootstrap` computes it. The correction counts half of the resamples that equal the estimate, the
 * acceleration comes from the jackknife, and percentiles are interpolated. The estimate alone where all values are equal.
 */
export function bcaInterval(values: readonly number[], { resamples, seed, clusters }: BootstrapOptions): Interval {
  const estimate = mean(values)
  const groups = groupsOf(values, clusters)
  if (groups.every(({ sum, size }) => sum === estimate * size)) return { low: estimate, high: estimate }
  const drawn = resampledMeans(groups, resamples, seed)
  let below = 0
  for (const value of drawn) below += value < estimate ? 1 : value === estimate ? 0.5 : 0
  const bias = normalQuantile(below / drawn.length)
  if (!Number.isFinite(bias)) return { low: percentile(drawn, TAIL), high: percentile(drawn, 1 - TAIL) }
  const acceleration = accelerationOf(groups)
  const at = (tail: number): number => {
    const moved = bias + normalQuantile(tail)
    return normalCdf(bias + moved / (1 - acceleration * moved))
  }
  return { low: percentile(drawn, at(TAIL)), high: percentile(drawn, at(1 - TAIL)) }
}

/** Values that are drawn together. */
interface Group {
  readonly sum: number
  readonly size: number
}

function groupsOf(values: readonly number[], clusters: readonly string[] | undefined): readonly Group[] {
  if (clusters === undefined) return values.map((sum) => ({ sum, size: 1 }))
  const groups = new Map<string, Group>()
  for (const [place, value] of values.entries()) {
    const name = clusters[place] ?? ''
    const { sum, size } = groups.get(name) ?? { sum: 0, size: 0 }
    groups.set(name, { sum: sum + value, size: size + 1 })
  }
  return [...groups.values()]
}

/** Means of resamples, in ascending order. */
function resampledMeans(groups: readonly Group[], resamples: number, seed: number): Float64Array {
  const random = createPythonRandom(seed)
  const means = new Float64Array(resamples)
  for (let i = 0; i < resamples; i++) {
    let sum = 0
    let size = 0
    for (let drawn = 0; drawn < groups.length; drawn++) {
      const group = groups[Math.floor(random.random() * groups.length)]
      sum += group?.sum ?? 0
      size += group?.size ?? 0
    }
    means[i] = sum / size
  }
  return means.sort()
}

function accelerationOf(groups: readonly Group[]): number {
  const sum = groups.reduce((total, group) => total + group.sum, 0)
  const size = groups.reduce((total, group) => total + group.size, 0)
  const without = groups.map((group) => (sum - group.sum) / (size - group.size))
  const middle = mean(without)
  let cubes = 0
  let squares = 0
  for (const value of without) {
    cubes += (middle - value) ** 3
    squares += (middle - value) ** 2
  }
  return cubes / (6 * squares ** 1.5)
}

/** Linear interpolation between order statistics, as NumPy's default. */
function percentile(sorted: Float64Array, share: number): number {
  const at = share * (sorted.length - 1)
  const low = sorted[Math.floor(at)] ?? 0
  const high = sorted[Math.ceil(at)] ?? low
  return low + (high - low) * (at - Math.floor(at))
}
