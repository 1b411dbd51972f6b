import type { EvalsDocument } from '../../archive/members/documents.ts'
import type { KindResult } from './verify-types.ts'

/**
 * Returns whether a kind that only some of the rows score is right on more of them than the recipe that all rows score. With as many
 * right answers these few rows tell nothing of the two, and the rows that they leave out speak for the other's figure: an adapter
 * that is right on all of five rows is no better than a table that is right on the same five and misses four of the others. True
 * where the rows of the other are not known.
 */
export function isBetterOnCommonRows(
  { evaluation }: Pick<KindResult, 'evaluation'>,
  { rows }: Pick<EvalsDocument, 'rows'>,
): boolean {
  const others = new Map(rows.map(({ id, correct }) => [id, correct]))
  const common = evaluation.results.filter(({ id }) => others.has(id))
  if (common.length === 0) return true
  const own = common.filter(({ correct }) => correct).length
  return own > common.filter(({ id }) => others.get(id) === true).length
}
