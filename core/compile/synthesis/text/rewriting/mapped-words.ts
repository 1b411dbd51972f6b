import { lookup } from '../../search/build.ts'
import type { TextNode } from '../../search/node.ts'
import { shownOf } from '../../search/unlabelled.ts'
import { constantCost } from '../constants.ts'
import type { Edge, Witness } from '../edges.ts'

const MAX_KEYS = 12
const MAX_PIECES = 40
const MAX_LENGTH = 24
const MIN_ROWS = 5
/** Rows of each key on average, from which a table shows more than its rows. */
const ROWS_PER_KEY = 1.5
const WORD = /\p{L}+/uy
const NOTHING = new Set<string>()

function wordAt(text: string, at: number): string {
  WORD.lastIndex = at
  // A word starts where no letter precedes.
  return /\p{L}/u.test(text.charAt(at - 1)) ? '' : (WORD.exec(text)?.[0] ?? '')
}

/** Codes of which several rows have the same one: letters, and few of them. */
function areCodes({ values }: TextNode, shown: number): boolean {
  const present = shownOf(values, shown)
  const keys = new Set(present)
  return (
    !keys.has(undefined) &&
    keys.size > 1 &&
    keys.size <= MAX_KEYS &&
    keys.size * ROWS_PER_KEY <= present.length &&
    [...keys].every((key) => key !== undefined && key.length <= MAX_LENGTH && /\p{L}/u.test(key))
  )
}

/** The word of each code; undefined where one code has several. */
function wordsOf(keys: readonly string[], words: readonly string[]): ReadonlyMap<string, string> | undefined {
  const byKey = new Map<string, string>()
  for (const [row, key] of keys.entries()) {
    const word = words[row] ?? ''
    if (word === '' || (byKey.get(key) ?? word) !== word) return undefined
    byKey.set(key, word)
  }
  return byKey
}

/**
 * Explains words of the outputs that codes of the inputs stand for, by a table that the rows show: `63E` and `63 degrees east`.
 * A code that no row shows has no word.
 */
export function mappedWords(outputs: readonly string[], pieces: readonly TextNode[]): Witness {
  const coded = outputs.length < MIN_ROWS ? [] : pieces.filter((piece) => areCodes(piece, outputs.length))
  return (rows, starts) => {
    if (rows.length < outputs.length || coded.length === 0) return []
    const words = rows.map((row, i) => wordAt(outputs[row] ?? '', starts[i] ?? 0))
    if (words.includes('') || new Set(words).size < 2) return []
    const edges: Omit<Edge, 'missing'>[] = []
    for (const { expr, cost, values } of coded.slice(0, MAX_PIECES)) {
      const keys = rows.map((row) => values[row] ?? '')
      const byKey = wordsOf(keys, words)
      // A condition distinguishes words that differ less than the codes.
      if (byKey === undefined || new Set(byKey.values()).size < byKey.size) continue
      const cases = [...byKey].map(([key, value]) => ({ key, value }))
      const spelled = constantCost(cases.map(({ value }) => value).join(''), {
        support: rows.length,
        copyable: NOTHING,
      })
      edges.push({
        expr: lookup(expr, cases),
        cost: cost.with('mappedWord').with('lookup.case', cases.length).plus(spelled.share('mappedWord.text')),
        isConstant: false,
        values: () => values.map((value) => (value === undefined ? undefined : byKey.get(value))),
        ends: words.map((word, i) => (starts[i] ?? 0) + word.length),
      })
    }
    return edges
  }
}
