import { canonicalJson } from '../../kernel/json/json.ts'
import type { NegativeExample } from '../rows/intake/example.ts'
import type { Row } from '../rows/task.ts'

/**
 * Returns the negatives whose input is none of the rows' inputs. A forbidden output of a held-out input would reveal
 * part of its answer, so neither sampling nor the verifier may see it.
 */
export function negativesApartFrom(
  negatives: readonly NegativeExample[],
  held: readonly Row[],
): readonly NegativeExample[] {
  if (negatives.length === 0) return negatives
  const inputs = new Set(held.map(({ input }) => canonicalJson(input)))
  return negatives.filter(({ input }) => !inputs.has(canonicalJson(input)))
}
