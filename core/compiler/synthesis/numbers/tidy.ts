/** Digits that a person would have to write for the constant, as a cost: 10 and 0.5 are cheap, 3.1416 is not. */
export function constantPrice(value: number): number {
  if (!Number.isFinite(value)) return Infinity
  const magnitude = Math.abs(value)
  if (magnitude === 0 || magnitude === 1) return 0.1
  const [mantissa = '', exponent = '0'] = magnitude.toExponential().split('e')
  const digits = mantissa.replace('.', '').length
  return 0.15 + 0.22 * digits + 0.04 * Math.abs(Number(exponent))
}

/** A constant within rounding noise of the value that has few digits; undefined when there is none. */
export function tidyConstant(value: number, maxDigits = 7): number | undefined {
  if (!Number.isFinite(value) || Math.abs(value) > 1e12) return undefined
  const tidy = Number(value.toPrecision(maxDigits))
  return nearlyEqual(tidy, value) ? tidy : undefined
}

/** Equal but for the rounding of a few operations on doubles. */
export function nearlyEqual(a: number, b: number): boolean {
  const difference = Math.abs(a - b)
  return difference <= 1e-9 || difference <= 1e-11 * Math.max(Math.abs(a), Math.abs(b))
}

/** Units of time, of measure and of data, and the powers of ten: factors that are meant when they fit. */
const WELL_KNOWN = [10, 100, 1000, 60, 24, 12, 7, 3600, 1024, 365, 30, 0.1, 0.01, 0.001, 2, 0.5] as const

/** Whether the constant is a unit that people convert by. */
export function isWellKnown(value: number): boolean {
  return WELL_KNOWN.some((constant) => constant === value)
}

/** What a constant costs that was fitted between bounds: every digit of it was free to choose. */
export function fittedPrice(value: number): number {
  if (isWellKnown(value)) return 0.4
  const digits = (value.toExponential().split('e')[0] ?? '').replace(/\D/g, '').length
  return 0.3 + 1.5 * constantPrice(value) + 1.8 * Math.max(0, digits - 3)
}

/** The number with the fewest digits in the interval from `low` to `high`; undefined for an empty one. */
export function simplestBetween(low: number, high: number): number | undefined {
  if (!(low <= high)) return undefined
  const known = WELL_KNOWN.find((constant) => constant >= low && constant <= high)
  if (known !== undefined) return known
  for (let digits = 1; digits <= 7; digits++) {
    const middle = (low + high) / 2
    if (middle === 0) return 0
    const scale = 10 ** (Math.floor(Math.log10(Math.abs(middle))) - digits + 1)
    const steps = [Math.ceil(low / scale), Math.round(middle / scale), Math.floor(high / scale)]
    for (const step of [steps[1], steps[0], steps[2]]) {
      const candidate = Number(((step ?? 0) * scale).toPrecision(12))
      if (candidate >= low && candidate <= high) return candidate
    }
  }
  return undefined
}

/** Most decimals among the numbers, at most 10. */
export function decimalsOf(values: readonly number[]): number {
  let most = 0
  for (const value of values) {
    const text = String(value)
    const point = text.indexOf('.')
    if (point >= 0 && !text.includes('e')) most = Math.max(most, text.length - point - 1)
  }
  return Math.min(most, 10)
}
