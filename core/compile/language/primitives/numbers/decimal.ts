/**
 * Decimal arithmetic on doubles. Every double is taken as the decimal that ECMAScript prints for it (the shortest one
 * that reads back), the operation is exact on those decimals, and the result is the double nearest to it, ties to even.
 * So 0.1 + 0.2 is 0.3, and 1.005 rounds to 1.01. Small decimals take a path of plain number arithmetic that gives the
 * same results (integers below 2^53 and powers of ten up to 10^22 are exact doubles, and one division rounds once).
 */
export interface Decimal {
  readonly unscaled: bigint
  /** The value is `unscaled / 10^scale`. May be negative. */
  readonly scale: number
}

/** Above this, `Math.round(x * 10^s)` may miss the unscaled integer. */
const MAX_QUICK = 1e15

/** Exact powers of ten, 10^0 to 10^22. */
const POWERS: readonly number[] = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`))

/** 10^exponent as an exact double; NaN when there is none (exponent outside 0..22). */
export function powerOfTen(exponent: number): number {
  return POWERS[exponent] ?? Number.NaN
}

/** Number of decimals of the shortest form when the number has at most 15 digits in all, else -1. */
export function quickScale(x: number): number {
  for (let scale = 0; scale < 16; scale++) {
    const power = powerOfTen(scale)
    const scaled = x * power
    if (Math.abs(scaled) >= MAX_QUICK) return -1
    if (Math.round(scaled) / power === x) return scale
  }
  return -1
}

/** The shortest decimal of a finite double, exactly. */
export function toDecimal(x: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(x).split('e')
  const point = mantissa.indexOf('.')
  const digits = point === -1 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1)
  const decimals = point === -1 ? 0 : mantissa.length - point - 1
  return { unscaled: BigInt(digits), scale: decimals - Number(exponent) }
}

/** The double nearest to a decimal; infinite when it is out of range. */
export function fromDecimal({ unscaled, scale }: Decimal): number {
  return Number(`${unscaled}e${-scale}`)
}

/** Digits of a quotient that are computed before it is rounded to a double; a double is settled by far fewer. */
const QUOTIENT_DIGITS = 60

/** The double nearest to a quotient of whole numbers, times a power of ten; the divisor is not zero. */
export function quotientOf(over: bigint, under: bigint, exponent = 0): number {
  const shift = QUOTIENT_DIGITS + Math.max(0, under.toString().length - over.toString().length)
  const shifted = over * 10n ** BigInt(shift)
  const quotient = shifted / under
  // A sticky digit marks a remainder, so that it does not look like a tie.
  const sticky = quotient * under === shifted ? 0n : shifted < 0n === under < 0n ? 1n : -1n
  return fromDecimal({ unscaled: quotient * 10n + sticky, scale: shift + 1 - exponent })
}

/** Two decimals brought to one scale. */
export function alignDecimals(left: Decimal, right: Decimal): { left: bigint; right: bigint; scale: number } {
  const scale = Math.max(left.scale, right.scale)
  return {
    left: left.unscaled * 10n ** BigInt(scale - left.scale),
    right: right.unscaled * 10n ** BigInt(scale - right.scale),
    scale,
  }
}

/** The number in plain digits, never with an exponent, `-` in front when negative: `0.0000001`. */
export function plainDigits(x: number): string {
  const shortest = String(x)
  if (!shortest.includes('e')) return shortest
  const { unscaled, scale } = toDecimal(x)
  const sign = unscaled < 0n ? '-' : ''
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString()
  if (scale <= 0) return sign + digits + '0'.repeat(-scale)
  const padded = digits.padStart(scale + 1, '0')
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}
