import { canonicalJson, type Json } from '../../../kernel/json/json.ts'
import type { OutputType } from '../verifier/verifier-types.ts'
import type { Comparator } from './score-types.ts'

/** Relative difference below which two numbers are the same answer: rounding in the last places of a double. */
const RELATIVE_TOLERANCE = 1e-9

/** The comparator of a task: numbers with a tolerance for rounding, everything else exactly. */
export function chooseComparator(output: OutputType): Comparator {
  const areNumbers =
    output.type === 'number' || (output.type === 'label' && output.labels.every((label) => typeof label === 'number'))
  return areNumbers ? 'number' : 'exact'
}

/**
 * Returns true when an output matches the expected one. `exact`: equal canonical JSON. `number`: two numbers that
 * differ by at most a billionth of the larger; other values exactly.
 */
export function isSameOutput(comparator: Comparator, output: Json, expected: Json): boolean {
  if (comparator === 'number' && typeof output === 'number' && typeof expected === 'number') {
    return Math.abs(output - expected) <= RELATIVE_TOLERANCE * Math.max(Math.abs(output), Math.abs(expected))
  }
  return canonicalJson(output) === canonicalJson(expected)
}
