import type { RoundMode } from '../../names.ts'
import { alignDecimals, fromDecimal, powerOfTen, quickScale, toDecimal } from './decimal.ts'

/**
 * Returns true when the magnitude rounds up to the next multiple. `half` compares twice the remainder with the divisor
 * (-1, 0, 1); the remainder is not zero.
 */
function isRoundedUp(mode: RoundMode, half: number, isNegative: boolean, isOdd: boolean): boolean {
  switch (mode) {
    case 'halfUp':
      return half >= 0
    case 'halfEven':
      return half > 0 || (half === 0 && isOdd)
    case 'halfDown':
      return half > 0
    case 'floor':
      return isNegative
    case 'ceil':
      return !isNegative
    case 'truncate':
      return false
    case 'expand':
      return true
  }
}

/** Rounds the quotient of two integers below 2^53 to an integer. */
function roundQuotient(over: number, under: number, mode: RoundMode): number {
  const magnitude = Math.abs(over)
  const rest = magnitude % under
  const whole = (magnitude - rest) / under
  if (rest === 0) return over < 0 ? -whole : whole
  const isUp = isRoundedUp(mode, Math.sign(rest - (under - rest)), over < 0, whole % 2 === 1)
  const rounded = isUp ? whole + 1 : whole
  return over < 0 ? -rounded : rounded
}

/** Rounds the quotient of two whole numbers, the divisor above zero, to a whole number. */
export function roundBigQuotient(over: bigint, under: bigint, mode: RoundMode): bigint {
  const magnitude = over < 0n ? -over : over
  const rest = magnitude % under
  const whole = magnitude / under
  if (rest === 0n) return over / under
  const half = rest * 2n === under ? 0 : rest * 2n > under ? 1 : -1
  const rounded = isRoundedUp(mode, half, over < 0n, whole % 2n === 1n) ? whole + 1n : whole
  return over < 0n ? -rounded : rounded
}

function withoutNegativeZero(x: number): number {
  return x === 0 ? 0 : x
}

/**
 * Rounds to `decimals` places (negative: to tens, hundreds), on the shortest decimal of the number: 1.005 to two places
 * is 1.01.
 */
export function roundDecimals(x: number, decimals: number, mode: RoundMode): number {
  if (decimals >= 0 && Number.isInteger(x)) return withoutNegativeZero(x)
  const scale = quickScale(x)
  if (scale !== -1) {
    if (scale <= decimals) return x
    const under = powerOfTen(scale - decimals)
    if (under <= 1e15) {
      const rounded = roundQuotient(Math.round(x * powerOfTen(scale)), under, mode)
      return withoutNegativeZero(decimals >= 0 ? rounded / powerOfTen(decimals) : rounded * powerOfTen(-decimals))
    }
  }
  const { unscaled, scale: exactScale } = toDecimal(x)
  if (exactScale <= decimals) return withoutNegativeZero(x)
  const rounded = roundBigQuotient(unscaled, 10n ** BigInt(exactScale - decimals), mode)
  return withoutNegativeZero(fromDecimal({ unscaled: rounded, scale: decimals }))
}

/** The power of ten of the first digit; 0 for zero. */
export function exponentOf(x: number): number {
  return x === 0 ? 0 : Number(x.toExponential().split('e')[1])
}

/** Rounds to so many significant digits. */
export function roundSignificant(x: number, digits: number, mode: RoundMode): number {
  return roundDecimals(x, digits - 1 - exponentOf(x), mode)
}

/** Rounds to a multiple of a positive step, on shortest decimals; undefined when the step is not positive. */
export function roundToStep(x: number, step: number, mode: RoundMode): number | undefined {
  if (!(step > 0)) return undefined
  const scale = Math.max(quickScale(x), quickScale(step))
  const power = powerOfTen(scale)
  if (quickScale(x) !== -1 && quickScale(step) !== -1 && Math.abs(x * power) < 1e15 && step * power < 1e15) {
    const unit = Math.round(step * power)
    const rounded = roundQuotient(Math.round(x * power), unit, mode) * unit
    if (Number.isSafeInteger(rounded)) return withoutNegativeZero(rounded / power)
  }
  const value = toDecimal(x)
  const unit = toDecimal(step)
  if (Math.abs(value.scale - unit.scale) > 700) return undefined
  const aligned = alignDecimals(value, unit)
  const rounded = roundBigQuotient(aligned.left, aligned.right, mode) * aligned.right
  const result = fromDecimal({ unscaled: rounded, scale: aligned.scale })
  return Number.isFinite(result) ? withoutNegativeZero(result) : undefined
}
