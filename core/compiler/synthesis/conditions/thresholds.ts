const MAX_EXPONENT = 9
const MIN_EXPONENT = -6

function nearestMultiple(step: number, low: number, high: number): number | undefined {
  const middle = (low + high) / 2
  const nearest = Math.round(middle / step) * step
  for (const candidate of [nearest, Math.floor(high / step) * step, (Math.floor(low / step) + 1) * step]) {
    const tidy = Number(candidate.toPrecision(12))
    if (tidy > low && tidy <= high) return tidy
  }
  return undefined
}

/** The roundest number `t` with `low < t <= high`: people put limits at 50 rather than at 48.5. */
export function roundestBetween(low: number, high: number): number {
  for (let exponent = MAX_EXPONENT; exponent >= MIN_EXPONENT; exponent--) {
    const power = 10 ** exponent
    for (const whole of [power, 5 * power]) {
      const tidy = Number(whole.toPrecision(12))
      if (tidy > low && tidy <= high) return tidy
    }
    for (const step of [power, 2.5 * power, power / 2]) {
      const found = nearestMultiple(step, low, high)
      if (found !== undefined) return found
    }
  }
  return high
}

/** Limits between neighbouring distinct values, the rows at or above each of which are told apart from those below. */
export function thresholdsOf(values: readonly (number | undefined)[], limit: number): number[] {
  const distinct = [...new Set(values.filter((value) => value !== undefined))].toSorted((a, b) => a - b)
  const limits: number[] = []
  for (let i = 1; i < distinct.length && limits.length < limit; i++) {
    limits.push(roundestBetween(distinct[i - 1] ?? 0, distinct[i] ?? 0))
  }
  return limits
}
