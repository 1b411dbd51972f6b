/** An interval of a share. */
export interface Interval {
  readonly low: number
  readonly high: number
}

/** The 0.975 quantile of the standard normal distribution. */
const Z_95 = 1.959963984540054

/**
 * Returns the 95 % Wilson score interval of a share (Wilson, JASA 22, 1927), rounded to four decimals; 0 to 1 without
 * trials.
 */
export function wilsonInterval(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 }
  const share = successes / trials
  const z2 = Z_95 * Z_95
  const centre = share + z2 / (2 * trials)
  const reach = Z_95 * Math.sqrt((share * (1 - share)) / trials + z2 / (4 * trials * trials))
  const scale = 1 + z2 / trials
  const round = (value: number): number => Number(Math.min(1, Math.max(0, value)).toFixed(4))
  return { low: round((centre - reach) / scale), high: round((centre + reach) / scale) }
}
