import type { Json } from '../../../kernel/json/json.ts'
import type { TextNode } from '../search/node.ts'
import { textSource, type TextSource } from '../text/source.ts'

/** Parts of texts that are looked through, and those of them that are cut into lists. */
const MOST_PIECES = 60
const MOST_PARTS = 3
/** Rows that have to show a part: one holds the items of a list by chance. */
const LEAST_ROWS = 2

/**
 * Returns the parts of the texts that hold the items of each list and little else, as the part in brackets of
 * `Ada [vip; press]`. A row may lack the part. `pieces` are the texts and their parts, cheapest first.
 */
export function listingParts(
  pieces: readonly TextNode[],
  texts: readonly TextNode[],
  targets: readonly Json[],
): TextSource[] {
  const wanted = targets.map(itemsOf)
  if (!wanted.every((items) => items !== undefined) || !wanted.some((items) => items.length > 1)) return []
  const wholes = new Set(texts.map(({ expr }) => expr))
  const parts = pieces.slice(0, MOST_PIECES).flatMap((piece) => {
    if (wholes.has(piece.expr)) return []
    const rest = restOf(piece, wanted)
    return rest === null ? [] : [{ piece, rest }]
  })
  return parts
    .toSorted((a, b) => a.rest - b.rest)
    .slice(0, MOST_PARTS)
    .map(({ piece: { expr, cost, values } }) => textSource(expr, cost, values, targets.length))
}

/** The items of a list as texts; undefined for another value, and for a list of other things. */
function itemsOf(target: Json): readonly string[] | undefined {
  if (!Array.isArray(target)) return undefined
  const items = target.flatMap((item) => (typeof item === 'string' || typeof item === 'number' ? [String(item)] : []))
  return items.length === target.length ? items : undefined
}

/** Returns how many characters a part has beside the items, an item on average; null where it lacks an item. */
function restOf({ values }: TextNode, wanted: readonly (readonly string[])[]): number | null {
  let rest = 0
  let items = 0
  let rows = 0
  for (const [row, own] of wanted.entries()) {
    const text = values[row]
    if (text === undefined) continue
    let at = 0
    for (const item of own) {
      const found = text.indexOf(item, at)
      if (found < 0) return null
      at = found + item.length
      rest -= item.length
    }
    rest += text.length
    items += own.length
    if (own.length > 0) rows++
  }
  return rows < LEAST_ROWS ? null : rest / items
}
