import { InvalidArgumentError } from 'commander'

/** Reads a number of the command line. Throws `InvalidArgumentError` for other text. */
export function parseNumber(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('must be a number')
  return value
}

/** A reader of numbers that are whole and within bounds. */
export function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = parseNumber(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`)
  }
}

/** The same for an option that takes several: Commander hands each reader the values before it. */
export function wholeNumbers(
  least: number,
  most: number,
): (text: string, before: readonly number[] | undefined) => readonly number[] {
  const read = wholeNumber(least, most)
  return (text, before = []) => [...before, read(text)]
}

/** Reads a number from 0 up. */
export function parseAmount(text: string): number {
  const value = parseNumber(text)
  if (value < 0) throw new InvalidArgumentError('must not be below 0')
  return value
}

/** Reads a share from 0 to 1. */
export function parseShare(text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('must be a number from 0 to 1')
  return value
}
