import { canonicalJson, type Json } from '../../../../kernel/json/json.ts'
import type { VerifierDocument } from '../../schemas/verifier.ts'

/** Comparators of archives of early builds: `exact`, or `number` with a tolerance for an output that is a number. */
export type EarlyComparator = 'exact' | 'number'

const RELATIVE_TOLERANCE = 1e-9

/** Returns the comparators that an output type allows. The first builds compared numeric labels exactly. */
export function comparatorsOf(output: VerifierDocument['output']): readonly EarlyComparator[] {
  if (output.type === 'number') return ['number']
  const isNumeric = output.type === 'label' && output.labels.every((label) => typeof label === 'number')
  return isNumeric ? ['exact', 'number'] : ['exact']
}

/** Returns true when a comparator of early builds calls an output equal to the expected one. Never changes. */
export function isSameByComparator(comparator: EarlyComparator, output: Json, expected: Json): boolean {
  if (comparator === 'number' && typeof output === 'number' && typeof expected === 'number') {
    return Math.abs(output - expected) <= RELATIVE_TOLERANCE * Math.max(Math.abs(output), Math.abs(expected))
  }
  return canonicalJson(output) === canonicalJson(expected)
}
