import { addDecimal } from './arithmetic.ts'

/** Returns the sum of each number and all before it. */
export function runningSums(numbers: readonly number[]): number[] {
  let total = 0
  return numbers.map((number) => (total = addDecimal(total, number)))
}

/** Returns each number but the first less the one before it. */
export function stepsBetween(numbers: readonly number[]): number[] {
  return numbers.slice(1).map((number, at) => addDecimal(number, -(numbers[at] ?? 0)))
}
