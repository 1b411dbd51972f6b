import { KERNEL_ERRORS, type DefinedError, type DomainError } from '../../../kernel/errors.ts'

/** Place in a text file as an editor shows it: both counted from 1, columns in UTF-16 units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/**
 * Returns an error at a place of a file. `message` says what is wrong and what to do about it; it follows the place, so
 * it reads "line[3]: column 5: …".
 */
export function textError(
  { line, column }: TextPlace,
  message: string,
  error: DefinedError = KERNEL_ERRORS.validation_failed,
  cause?: unknown,
): DomainError {
  const field = `line[${line}]`
  const placed = `column ${column}: ${message}`
  return error(`${field}: ${placed}`, { details: { fields: [{ field, message: placed }], line, column }, cause })
}

/** Returns the name of a cell of a sheet: column 0 of row 7 is `A7`. */
export function cellName(column: number, row: number): string {
  return `${columnLetters(column)}${row}`
}

/** Returns the letters of a column, counted from 0: `A`, `Z`, `AA`. */
export function columnLetters(column: number): string {
  const last = String.fromCharCode(0x41 + (column % 26))
  return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last
}

/** Returns "a, b and 3 more" for a list of which at most `shown` are named. */
export function someOf(names: readonly (string | number)[], total = names.length, shown = 5): string {
  const named = names.slice(0, shown)
  const rest = total - named.length
  if (rest > 0) return `${named.join(', ')} and ${rest} more`
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`
}
