import type { Quantiles } from './quality-report.ts'

/** Returns the quantiles of values by the nearest-rank method; zeros for none. */
export function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = Float64Array.from(values).sort()
  const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  return {
    rows: sorted.length,
    min: sorted[0] ?? 0,
    p50: at(0.5),
    p95: at(0.95),
    max: sorted.at(-1) ?? 0,
    total: sorted.reduce((sum, value) => sum + value, 0),
  }
}
