import { concat, literal, literalPattern } from '../../search/build.ts'
import { constantCost } from '../constants.ts'
import { characterRules } from './character-maps.ts'
import { dictionaryRules } from './dictionary.ts'
import { headlineRules } from './headlines.ts'
import { isShortened, replacing, rewriteBy, type Rewrite } from './rewrite.ts'
import { transliterationRules } from './transliteration.ts'
import { truncationRules } from './truncation.ts'
import { Cost, costOf } from '../../ranking/cost.ts'

const TOKEN = /[\p{L}\p{N}]+|[^\p{L}\p{N}]+/gu
const MAX_TOKENS = 40
const MAX_RULES = 12
const MAX_ROWS = 24
const MIN_REMOVED = 3
const MAX_REMOVED = 40
const NOTHING = new Set<string>()

interface Chunk {
  readonly from: string
  readonly to: string
}

/** Returns the replacements between two token lists, by their longest common subsequence, with the mark before each. */
function replacedChunks(a: readonly string[], b: readonly string[]): Chunk[] {
  const width = b.length + 1
  const longest = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        a[i] === b[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0)
    }
  }
  const chunks: Chunk[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i++
      j++
      continue
    }
    const startA = i
    const startB = j
    while ((i < a.length || j < b.length) && !(i < a.length && j < b.length && a[i] === b[j])) {
      if (j >= b.length || (i < a.length && (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)))
        i++
      else j++
    }
    if (i === startA) continue
    // The mark before it keeps the rule from words that only look alike.
    const before = startA > 0 && startB > 0 && !/[\p{L}\p{N}]/u.test(a[startA - 1] ?? '') ? (a[startA - 1] ?? '') : ''
    chunks.push({ from: before + a.slice(startA, i).join(''), to: before + b.slice(startB, j).join('') })
  }
  return chunks
}

function wordsCost(text: string, rows: number): Cost {
  return constantCost(text.trim(), { support: rows, copyable: NOTHING }).share('replaceWord.text')
}

/** Words that the outputs write in another way than the text does: `Street` for `St`. */
function replacementRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  const support = new Map<string, { chunk: Chunk; rows: number }>()
  for (const [row, text] of texts.slice(0, MAX_ROWS).entries()) {
    const output = outputs[row] ?? ''
    if (text === undefined || text === output) continue
    const a = text.match(TOKEN) ?? []
    const b = output.match(TOKEN) ?? []
    if (a.length > MAX_TOKENS || b.length > MAX_TOKENS || a.length < 2) continue
    const chunks = replacedChunks(a, b)
    // A rule concerns a part of the text; the unchanged rest shows that the texts belong together.
    const kept = a.length - chunks.reduce((sum, { from }) => sum + (from.match(TOKEN)?.length ?? 0), 0)
    if (chunks.length > 4 || kept < 1) continue
    for (const chunk of chunks) {
      if (chunk.from.length > 30 || chunk.to.length > 30) continue
      const key = `${chunk.from}\u0000${chunk.to}`
      const known = support.get(key)
      if (known === undefined) support.set(key, { chunk, rows: 1 })
      else known.rows++
    }
  }
  return [...support.values()]
    .toSorted((a, b) => b.rows - a.rows)
    .slice(0, MAX_RULES)
    .map(({ chunk: { from, to }, rows }) => {
      const cost = costOf(to === '' && rows === 1 ? 'replaceWord.removedOnce' : 'replaceWord')
        .when(rows === 1 && isShortened(from, to), 'replaceWord.shortened')
        .plus(wordsCost(from, rows))
        .plus(to === '' ? Cost.NONE : wordsCost(to, rows))
      return rewriteBy(cost, (text) => replacing(text, literalPattern(from), to))
    })
}

/** Finds the longest text that occurs in every input and rarely in the outputs: `that` in `knowthat` and `thatwill`. */
function removalRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  const present = texts.filter((text) => text !== undefined)
  const shortest = present.toSorted((a, b) => a.length - b.length)[0]
  if (shortest === undefined || present.length < 3 || shortest.length > MAX_REMOVED) return []
  for (let length = shortest.length; length >= MIN_REMOVED; length--) {
    for (let at = 0; at + length <= shortest.length; at++) {
      const part = shortest.slice(at, at + length)
      if (outputs.some((output) => output.includes(part)) || !present.every((text) => text.includes(part))) continue
      const cost = costOf('removeShared').plus(constantCost(part, { support: present.length, copyable: NOTHING }))
      return [rewriteBy(cost, (text) => replacing(text, literalPattern(part), ''))]
    }
  }
  return []
}

function commonSuffix(outputs: readonly string[]): string {
  const first = outputs[0] ?? ''
  let length = 0
  while (length < first.length && outputs.every((output) => output.at(-1 - length) === first.at(-1 - length))) length++
  return first.slice(first.length - length)
}

function commonPrefix(outputs: readonly string[]): string {
  const first = outputs[0] ?? ''
  let length = 0
  while (length < first.length && outputs.every((output) => output.charAt(length) === first.charAt(length))) length++
  return first.slice(0, length)
}

/** Endings and beginnings that all outputs have and only some of the texts: added where they are missing. */
function completionRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  if (outputs.length < 2) return []
  const present = texts.filter((text) => text !== undefined)
  const rules: Rewrite[] = []
  const costOfAffix = (text: string) =>
    costOf('complete').plus(constantCost(text, { support: outputs.length, copyable: NOTHING }))
  const suffix = commonSuffix(outputs)
  for (let at = 0; at < suffix.length; at++) {
    const end = suffix.slice(at)
    if (!/^[^\p{L}\p{N}]/u.test(end)) continue
    const having = present.filter((text) => text.endsWith(end)).length
    if (having === 0 || having === present.length) continue
    rules.push(
      rewriteBy(costOfAffix(end), (text) => ({
        op: 'if',
        cond: { op: 'endsWith', text, pattern: literalPattern(end) },
        then: text,
        else: concat([text, literal(end)]),
      })),
    )
  }
  const prefix = commonPrefix(outputs)
  for (let length = prefix.length; length > 0; length--) {
    const start = prefix.slice(0, length)
    if (/[\p{L}\p{N}]$/u.test(start) && length < prefix.length) continue
    const having = present.filter((text) => text.startsWith(start)).length
    if (having === 0 || having === present.length) continue
    rules.push(
      rewriteBy(costOfAffix(start), (text) => ({
        op: 'if',
        cond: { op: 'startsWith', text, pattern: literalPattern(start) },
        then: text,
        else: concat([literal(start), text]),
      })),
    )
  }
  return rules.slice(0, 4)
}

/** Rewrites that these rows suggest: words replaced, beginnings and endings completed, letters spelled out. */
export function editRules(texts: readonly (string | undefined)[], outputs: readonly string[]): Rewrite[] {
  return [
    ...replacementRules(texts, outputs),
    ...dictionaryRules(texts, outputs),
    ...removalRules(texts, outputs),
    ...completionRules(texts, outputs),
    ...truncationRules(texts, outputs),
    ...headlineRules(outputs),
    ...transliterationRules(texts, outputs),
    ...characterRules(texts, outputs),
  ]
}
