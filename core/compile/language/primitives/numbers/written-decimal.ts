import type { DecimalOp } from '../../names.ts'
import { WHITE_SPACE } from '../text/char-classes.ts'
import { trimText } from '../text/edit.ts'
import { alignDecimals, type Decimal, plainDigits } from './decimal.ts'

/** Most digits of an operand. */
export const MAX_DECIMAL_DIGITS = 1000

const DECIMAL = /^([-+\u2212]?)(\d*)(?:\.(\d+))?$/

/** Reads a number with the decimals that are written; undefined for other texts. */
export function readDecimal(text: string): Decimal | undefined {
  const [, sign, whole = '', decimals = ''] = DECIMAL.exec(trimText(text, 'both', WHITE_SPACE)) ?? []
  if (sign === undefined || whole + decimals === '' || whole.length + decimals.length > MAX_DECIMAL_DIGITS)
    return undefined
  const unscaled = BigInt(whole + decimals)
  return { unscaled: sign === '' || sign === '+' ? unscaled : -unscaled, scale: decimals.length }
}

/** Writes a decimal with all of its decimals; zero has no sign. */
export function decimalText({ unscaled, scale }: Decimal): string {
  const isNegative = unscaled < 0n
  const digits = (isNegative ? -unscaled : unscaled).toString().padStart(scale + 1, '0')
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
  return isNegative ? `-${text}` : text
}

/**
 * Computes with written decimals, exactly: a sum has the decimals of the operand that has more, a product those of both
 * together. A number counts in its shortest plain form. Undefined for a text that is no decimal.
 */
export function calculateWritten(op: DecimalOp, left: string | number, right: string | number): string | undefined {
  const [a, b] = [left, right].map((value) => readDecimal(typeof value === 'number' ? plainDigits(value) : value))
  if (a === undefined || b === undefined) return undefined
  if (op === 'mul') return decimalText({ unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale })
  const aligned = alignDecimals(a, b)
  const unscaled = op === 'add' ? aligned.left + aligned.right : aligned.left - aligned.right
  return decimalText({ unscaled, scale: aligned.scale })
}
