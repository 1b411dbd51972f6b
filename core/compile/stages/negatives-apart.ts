import { canonicalJson } from '../../kernel/json/json.ts'
import type { NegativeExample } from '../rows/intake/example.ts'
import type { Row } from '../task.ts'

/**
 * The negatives whose input is that of none of the rows. What must not come for a held-out input would tell of its
 * answer, so that neither sampling nor the verifier may see it.
 */
export function negativesApartFrom(
  negatives: readonly NegativeExample[],
  held: readonly Row[],
): readonly NegativeExample[] {
  if (negatives.length === 0) return negatives
  const inputs = new Set(held.map(({ input }) => canonicalJson(input)))
  return negatives.filter(({ input }) => !inputs.has(canonicalJson(input)))
}
