import type { Expr } from '../../language/ast.ts'
import { parseNumberText } from '../../language/primitives/numbers/number-text.ts'
import { literal, literalPattern } from '../search/build.ts'
import type { TextNode } from '../search/node.ts'
import type { PredicateSet } from './predicate.ts'

const WORD = /\p{L}+/gu
const MAX_WORDS = 24
const YES = ['yes', 'y', 'true', 't', '1', 'on']
const NO = ['no', 'n', 'false', 'f', '0', 'off']

/** Words that the texts spell in more than one letter case, in lower case. */
function wordsOfSeveralCases(values: readonly (string | undefined)[]): string[] {
  const spellings = new Map<string, Set<string>>()
  for (const value of values) {
    for (const [word] of (value ?? '').matchAll(WORD)) {
      const key = word.toLowerCase()
      const known = spellings.get(key)
      if (known === undefined) spellings.set(key, new Set([word]))
      else known.add(word)
    }
  }
  return [...spellings].flatMap(([word, ways]) => (ways.size > 1 ? [word] : [])).slice(0, MAX_WORDS)
}

/** Adds conditions on texts whose letter case varies: words in any case, and the ways to write yes. */
export function addCaselessPredicates(set: PredicateSet, { expr, cost, values }: TextNode): void {
  const lower = values.map((value) => value?.toLowerCase())
  const text: Expr = { op: 'lower', text: expr }
  for (const word of wordsOfSeveralCases(values)) {
    const pattern = literalPattern(word)
    const any = cost
      .with('condition.caseless')
      .with('condition.caseless.character', word.length)
      .when(word.length < 3, 'condition.caseless.short')
    const holds = lower.map((value) => value?.includes(word) === true)
    set.add({ op: 'contains', text, pattern }, any, 'content', holds)
    const isWord = lower.map((value) => value === word)
    set.add({ op: 'eq', left: text, right: literal(word) }, any.with('condition.caseless.whole'), 'content', isWord)
  }
  const said = lower.map((value) => value?.trim())
  const isAnswer = said.every((value) => value !== undefined && (YES.includes(value) || NO.includes(value)))
  if (!isAnswer) return
  const answer: Expr = values.some((value, row) => value?.length !== said[row]?.length) ? { op: 'trim', text } : text
  set.add(
    { op: 'in', value: answer, list: literal(YES) },
    cost.with('condition.yes'),
    'structure',
    said.map((value) => value !== undefined && YES.includes(value)),
  )
}

/** Adds the condition that the text is a number. */
export function addReadable(set: PredicateSet, { expr, cost, values }: TextNode): void {
  const plain = { decimal: '.', group: '', currency: false, percent: false, parentheses: false }
  set.add(
    { op: 'can', of: { op: 'parseNumber', text: expr } },
    cost.with('condition.isNumber'),
    'structure',
    values.map((value) => value !== undefined && parseNumberText(value, plain) !== undefined),
  )
}
