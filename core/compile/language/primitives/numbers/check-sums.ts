import type { CheckSum } from '../../names.ts'
import { addDecimal, mulDecimal } from './arithmetic.ts'

/**
 * Returns the terms of a check sum, counted from the last number, which counts once. The one before it counts three times
 * (`ean`, GS1 General Specifications 7.9), or twice and less 9 where that is above 9 (`luhn`, ISO/IEC 7812-1 annex B), and so
 * on in turn. With `isbn`, each counts as often as its place (ISO 2108:1992); with `mod11`, 2 to 7 times, and again from 2.
 */
export function checkTerms(numbers: readonly number[], by: CheckSum): number[] {
  return numbers.map((number, at) => checkTerm(number, numbers.length - 1 - at, by))
}

function checkTerm(number: number, fromLast: number, by: CheckSum): number {
  if (by === 'isbn') return mulDecimal(number, fromLast + 1)
  if (by === 'mod11') return fromLast === 0 ? number : mulDecimal(number, ((fromLast - 1) % 6) + 2)
  if (fromLast % 2 === 0) return number
  if (by === 'ean') return mulDecimal(number, 3)
  const doubled = mulDecimal(number, 2)
  return doubled > 9 ? addDecimal(doubled, -9) : doubled
}
