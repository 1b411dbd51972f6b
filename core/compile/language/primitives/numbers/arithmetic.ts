import type { ArithmeticOp } from '../../names.ts'
import { alignDecimals, fromDecimal, powerOfTen, quickScale, quotientOf, toDecimal } from './decimal.ts'

/** Largest exponent of `pow`, either way. */
export const MAX_EXPONENT = 64

/** Exact decimal sum, rounded to a double once; infinite beyond the doubles, also where an operand is. */
export function addDecimal(left: number, right: number): number {
  const plain = left + right
  if (!Number.isFinite(left) || !Number.isFinite(right)) return plain
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(plain)) return plain
  const leftScale = quickScale(left)
  const rightScale = quickScale(right)
  if (leftScale !== -1 && rightScale !== -1) {
    const power = powerOfTen(Math.max(leftScale, rightScale))
    const sum = Math.round(left * power) + Math.round(right * power)
    if (Math.abs(left * power) < 1e15 && Math.abs(right * power) < 1e15) return sum / power
  }
  const aligned = alignDecimals(toDecimal(left), toDecimal(right))
  return fromDecimal({ unscaled: aligned.left + aligned.right, scale: aligned.scale })
}

/** Exact decimal product, rounded to a double once. */
export function mulDecimal(left: number, right: number): number {
  const plain = left * right
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right) && Number.isSafeInteger(plain)) return plain
  const leftScale = quickScale(left)
  const rightScale = quickScale(right)
  if (leftScale !== -1 && rightScale !== -1 && leftScale + rightScale <= 22) {
    const product = Math.round(left * powerOfTen(leftScale)) * Math.round(right * powerOfTen(rightScale))
    if (Number.isSafeInteger(product)) return product / powerOfTen(leftScale + rightScale)
  }
  const a = toDecimal(left)
  const b = toDecimal(right)
  return fromDecimal({ unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale })
}

/** Exact decimal quotient, rounded to a double once; undefined for division by zero. */
export function divDecimal(left: number, right: number): number | undefined {
  if (right === 0) return undefined
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) return left / right
  const leftScale = quickScale(left)
  const rightScale = quickScale(right)
  if (leftScale !== -1 && rightScale !== -1) {
    const shift = rightScale - leftScale
    const over = Math.round(left * powerOfTen(leftScale)) * powerOfTen(Math.max(0, shift))
    const under = Math.round(right * powerOfTen(rightScale)) * powerOfTen(Math.max(0, -shift))
    if (Number.isSafeInteger(over) && Number.isSafeInteger(under)) return over / under
  }
  const a = toDecimal(left)
  const b = toDecimal(right)
  return quotientOf(a.unscaled, b.unscaled, b.scale - a.scale)
}

/** Remainder of the division rounded down: it has the divisor's sign. Undefined for division by zero. */
export function modDecimal(left: number, right: number): number | undefined {
  if (right === 0) return undefined
  if (Number.isSafeInteger(left) && Number.isSafeInteger(right)) {
    const remainder = left % right
    return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder
  }
  const a = toDecimal(left)
  const b = toDecimal(right)
  if (Math.abs(a.scale - b.scale) > 700) return undefined
  const aligned = alignDecimals(a, b)
  const remainder = aligned.left % aligned.right
  const isCorrected = remainder !== 0n && remainder < 0n !== aligned.right < 0n
  return fromDecimal({ unscaled: isCorrected ? remainder + aligned.right : remainder, scale: aligned.scale })
}

/** Exact decimal power with an integer exponent from -64 to 64; undefined for others, and for 0 to a negative one. */
export function powDecimal(base: number, exponent: number): number | undefined {
  if (!Number.isInteger(exponent) || Math.abs(exponent) > MAX_EXPONENT) return undefined
  const { unscaled, scale } = toDecimal(base)
  const power = BigInt(Math.abs(exponent))
  const raised = { unscaled: unscaled ** power, scale: scale * Math.abs(exponent) }
  if (exponent >= 0) return fromDecimal(raised)
  if (unscaled === 0n) return undefined
  return quotientOf(1n, raised.unscaled, raised.scale)
}

const OPERATIONS: Readonly<Record<ArithmeticOp, (left: number, right: number) => number | undefined>> = {
  add: addDecimal,
  sub: (left, right) => addDecimal(left, -right),
  mul: mulDecimal,
  div: divDecimal,
  mod: modDecimal,
  pow: powDecimal,
  min: (left, right) => Math.min(left, right),
  max: (left, right) => Math.max(left, right),
}

/** One arithmetic operation. Undefined when it has no finite answer; never negative zero. */
export function calculate(op: ArithmeticOp, left: number, right: number): number | undefined {
  if (!Number.isFinite(left) || !Number.isFinite(right)) return undefined
  const result = OPERATIONS[op](left, right)
  if (result === undefined || !Number.isFinite(result)) return undefined
  return result === 0 ? 0 : result
}

/** The middle of the numbers by size: one number, two of an even count, none of an empty list. */
export function middleNumbers(numbers: readonly number[]): number[] {
  const half = (numbers.length - 1) / 2
  return numbers.toSorted((a, b) => a - b).slice(Math.max(0, Math.floor(half)), Math.ceil(half) + 1)
}
