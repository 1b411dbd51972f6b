import type { Json } from '../../../kernel/json/json.ts'
import { equalJson } from '../../language/primitives/values/json-values.ts'
import { nearlyEqual } from '../numbers/tidy.ts'

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/**
 * Returns true when an answer equals the target. Numbers may differ by the noise of binary arithmetic in examples:
 * 98.60000000000001 is 98.6.
 */
export function sameAnswer(answer: Json, wanted: Json): boolean {
  if (answer === wanted) return true
  if (typeof answer === 'number' && typeof wanted === 'number') return nearlyEqual(answer, wanted)
  if (typeof answer !== 'object' || typeof wanted !== 'object' || answer === null || wanted === null) return false
  if (isList(answer) && isList(wanted)) {
    return answer.length === wanted.length && answer.every((item, at) => sameAnswer(item, wanted[at] ?? null))
  }
  return equalJson(answer, wanted)
}
