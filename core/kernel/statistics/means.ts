import { normalQuantile } from './normal.ts'
import type { Interval } from './wilson-interval.ts'

const LEVEL = 0.05
const POWER = 0.8
/** Errors up to this one are what rounding leaves of 0. */
const ROUNDING = 1e-12

/** Returns the mean of a list; NaN for an empty one. */
export function mean(values: readonly number[]): number {
  let sum = 0
  for (const value of values) sum += value
  return sum / values.length
}

/** Returns the standard deviation of a sample, with Bessel's correction; NaN for fewer than two values. */
export function standardDeviation(values: readonly number[]): number {
  const middle = mean(values)
  let squares = 0
  for (const value of values) squares += (value - middle) ** 2
  return Math.sqrt(squares / (values.length - 1))
}

/** Returns the standard error of a mean, with Bessel's correction; NaN for fewer than two values. */
export function standardError(values: readonly number[]): number {
  return standardDeviation(values) / Math.sqrt(values.length)
}

/**
 * Returns the standard error of a mean whose values come in clusters, such as questions on one passage (Liang and Zeger, Biometrika
 * 73, 1986; Miller, arXiv:2411.00640): the sums of the residuals of each cluster are independent, their values are not.
 */
export function clusteredError(values: readonly number[], clusters: readonly string[]): number {
  const middle = mean(values)
  const sums = new Map<string, number>()
  for (const [place, value] of values.entries()) {
    const cluster = clusters[place] ?? ''
    sums.set(cluster, (sums.get(cluster) ?? 0) + value - middle)
  }
  let squares = 0
  for (const sum of sums.values()) squares += sum * sum
  return Math.sqrt(squares) / values.length
}

/** Returns the 95 % interval of a mean by the normal distribution. */
export function meanInterval(middle: number, error: number): Interval {
  const reach = normalQuantile(1 - LEVEL / 2) * error
  return { low: middle - reach, high: middle + reach }
}

/** Returns true for a standard error that says something: one that is a finite number above 0, rounding aside. */
export function hasSpread(error: number): boolean {
  return Number.isFinite(error) && error > ROUNDING
}

/**
 * Returns the smallest difference that a two-sided test at level 0.05 finds with power 0.8, for an estimate with this standard
 * error (Bloom, Evaluation Review 19, 1995). Null without spread: of values that are all alike, no variance can be estimated.
 */
export function smallestEffect(error: number): number | null {
  if (!hasSpread(error)) return null
  return (normalQuantile(1 - LEVEL / 2) + normalQuantile(POWER)) * error
}
