import type { DecimalOp, RoundMode } from '../../names.ts'
import { WHITE_SPACE } from '../text/char-classes.ts'
import { trimText } from '../text/edit.ts'
import { roundBigQuotient } from './rounding.ts'
import { alignDecimals, type Decimal, plainDigits } from './decimal.ts'

/** Most digits of an operand. */
export const MAX_DECIMAL_DIGITS = 1000

/** Largest exponent of an operand, either way. */
const MAX_EXPONENT = 400

const DECIMAL = /^([-+\u2212]?)(\d*)(?:\.(\d+))?(?:[eE]([-+]?\d{1,4}))?$/

/** Reads a number with the decimals that are written; undefined for other texts. */
export function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', decimals = '', exponent = '0'] = DECIMAL.exec(trimText(text, 'both', WHITE_SPACE)) ?? []
  if (sign === undefined || whole + decimals === '' || whole.length + decimals.length > MAX_DECIMAL_DIGITS)
    return undefined
  if (Math.abs(Number(exponent)) > MAX_EXPONENT) return undefined
  const scale = decimals.length - Number(exponent)
  const unscaled = BigInt(whole + decimals) * 10n ** BigInt(Math.max(0, -scale))
  return { unscaled: sign === '' || sign === '+' ? unscaled : -unscaled, scale: Math.max(0, scale) }
}

/** Writes a decimal with all of its decimals; zero has no sign. */
export function decimalText({ unscaled, scale }: Decimal): string {
  const isNegative = unscaled < 0n
  const digits = (isNegative ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return isNegative ? `-${text}` : text
}

function operandOf(value: string | number): Decimal | undefined {
  return readDecimal(typeof value === 'number' ? plainDigits(value) : value)
}

/** Rounds a written decimal that has more decimals, exactly; undefined for a text that is not a decimal. */
export function roundWritten(value: string | number, decimals: number, mode: RoundMode): string | undefined {
  const read = operandOf(value)
  if (read === undefined || read.scale <= decimals) return read === undefined ? undefined : decimalText(read)
  const unscaled = roundBigQuotient(read.unscaled, 10n ** BigInt(read.scale - decimals), mode)
  return decimalText({ unscaled, scale: decimals })
}

/**
 * Computes with written decimals, exactly: a sum has the decimals of the operand that has more, a product those of both
 * together. A number counts in its shortest plain form. Undefined for a text that is not a decimal.
 */
export function calculateWritten(op: DecimalOp, left: string | number, right: string | number): string | undefined {
  const [a, b] = [left, right].map(operandOf)
  if (a === undefined || b === undefined) return undefined
  if (op === 'mul') return decimalText({ unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale })
  const aligned = alignDecimals(a, b)
  const unscaled = op === 'add' ? aligned.left + aligned.right : aligned.left - aligned.right
  return decimalText({ unscaled, scale: aligned.scale })
}
