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
const PHRASE = /\p{L}+(?: \p{L}+)*/uy
const NOTHING = new Set<string>()

/** The words that match at a position; empty within a word. */
function matchAt(find: RegExp, text: string, at: number): string {
  find.lastIndex = at
  return /\p{L}/u.test(text.charAt(at - 1)) ? '' : (find.exec(text)?.[0] ?? '')
}

/** The words that two phrases begin with. */
function sharedWords(a: string, b: string): string {
  const [words, others] = [a.split(' '), b.split(' ')]
  const at = words.findIndex((word, i) => word !== others[i])
  return words.slice(0, at === -1 ? words.length : at).join(' ')
}

/** For each row the words that all phrases of its key begin with. */
function sharedPhrases(keys: readonly string[], phrases: readonly string[]): string[] {
  const byKey = new Map<string, string>()
  for (const [row, key] of keys.entries()) {
    const phrase = phrases[row] ?? ''
    byKey.set(key, sharedWords(byKey.get(key) ?? phrase, phrase))
  }
  return keys.map((key) => byKey.get(key) ?? '')
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
 * Explains words of the outputs that codes of the inputs stand for, by a table that the rows show: `63E` and `63 degrees east`,
 * `NZ410` and `Air New Zealand 410`. A code that no row shows has no word.
 */
export function mappedWords(outputs: readonly string[], pieces: readonly TextNode[]): Witness {
  const coded = outputs.length < MIN_ROWS ? [] : pieces.filter((piece) => areCodes(piece, outputs.length))
  return (rows, starts, budget) => {
    if (rows.length < outputs.length || coded.length === 0) return []
    const first = rows.map((row, i) => matchAt(WORD, outputs[row] ?? '', starts[i] ?? 0))
    budget.spend(rows.length >> 2)
    if (first.includes('') || new Set(first).size < 2) return []
    const phrases = rows.map((row, i) => matchAt(PHRASE, outputs[row] ?? '', starts[i] ?? 0))
    const edges: Omit<Edge, 'missing'>[] = []
    const add = ({ expr, cost, values }: TextNode, keys: readonly string[], words: readonly string[]) => {
      const byKey = wordsOf(keys, words)
      // A condition distinguishes words that differ less than the codes.
      if (byKey === undefined || new Set(byKey.values()).size < byKey.size) return
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
    for (const piece of coded.slice(0, MAX_PIECES)) {
      budget.spend(1 + (rows.length >> 2))
      const keys = rows.map((row) => piece.values[row] ?? '')
      const shared = sharedPhrases(keys, phrases)
      add(piece, keys, first)
      if (shared.some((phrase, row) => phrase !== first[row])) add(piece, keys, shared)
    }
    return edges
  }
}
