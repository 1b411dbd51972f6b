/** Weights of the K-score: of the accuracy alone, and of the mean of the other axes. */
export const WEIGHTS = { base: 0.7, spread: 0.3 } as const

/** Rounds to four decimals. */
export function round4(value: number): number {
  return Number(value.toFixed(4))
}

/** The size axis: 1 up to a KiB, a thirtieth less for each doubling. */
export function sizeAxis(bytes: number): number {
  return Math.min(1, Math.max(0, 1 - Math.log2(Math.max(1, bytes / 1024)) / 30))
}

/** The latency axis: one half at a tenth of a second. */
export function latencyAxis(p50Us: number): number {
  return 1 / (1 + p50Us / 100_000)
}
