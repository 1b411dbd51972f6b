import { foldedWords, inputText } from '../../../compile/rows/split/input-text.ts'
import { canonicalJson, type Json } from '../../../kernel/json/json.ts'

/** Share of words, of those that either of two inputs has, from which on they count as near. */
export const NEAR = 0.7

/** A row that is looked up. */
interface CachedRow {
  readonly input: Json
  readonly output: Json
}

/** Answers an input that is among its rows, or near to one of them; undefined for a miss. */
export type Cache = (input: Json) => Json | undefined

/**
 * Makes a cache of rows: an equal input first, else the nearest by the share of common words (Jaccard) from `NEAR` on; of
 * equally near ones the first. Looks only at rows that share a word.
 */
export function createCache(rows: readonly CachedRow[]): Cache {
  const exact = new Map<string, Json>()
  const sizes: number[] = []
  const byWord = new Map<string, number[]>()
  for (const [place, { input, output }] of rows.entries()) {
    const key = canonicalJson(input)
    if (!exact.has(key)) exact.set(key, output)
    const words = new Set(foldedWords(inputText(input)))
    sizes.push(words.size)
    for (const word of words) {
      const known = byWord.get(word)
      if (known === undefined) byWord.set(word, [place])
      else known.push(place)
    }
  }
  return (input) => {
    const same = exact.get(canonicalJson(input))
    if (same !== undefined) return same
    const words = new Set(foldedWords(inputText(input)))
    const common = new Map<number, number>()
    for (const word of words) {
      for (const place of byWord.get(word) ?? []) common.set(place, (common.get(place) ?? 0) + 1)
    }
    let best: { readonly place: number; readonly share: number } | undefined
    for (const [place, count] of common) {
      const share = count / (words.size + (sizes[place] ?? 0) - count)
      if (share < NEAR) continue
      if (best === undefined || share > best.share || (share === best.share && place < best.place)) {
        best = { place, share }
      }
    }
    return best === undefined ? undefined : rows[best.place]?.output
  }
}
