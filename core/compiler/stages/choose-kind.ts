import { RECIPE_KINDS } from '../task.ts'
import type { KindResult } from './stage-types.ts'

/** How much better than a cheaper kind that reaches the floor a dearer one must be to be preferred. */
const CLEARLY_BETTER = 0.05

/**
 * The kind to ship: the cheapest whose K-score reaches the floor, unless a dearer one that does so too is clearly
 * better; when none reaches it, the one with the best K-score. Null when there is none at all.
 */
export function chooseKind(results: readonly KindResult[]): KindResult | null {
  const byPrice = results.toSorted((a, b) => RECIPE_KINDS.indexOf(a.kind) - RECIPE_KINDS.indexOf(b.kind))
  const shipping = byPrice.filter(({ kScore }) => kScore.ships)
  const field = shipping.length > 0 ? shipping : byPrice
  const best = Math.max(...field.map(({ kScore }) => kScore.composite))
  if (shipping.length === 0) return field.find(({ kScore }) => kScore.composite === best) ?? null
  return field.find(({ kScore }) => kScore.composite >= best - CLEARLY_BETTER) ?? null
}
