import type { Expr } from '../../language/ast.ts'
import { equals, literal, literalPattern } from '../search/build.ts'
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
export function addCaselessPredicates(set: PredicateSet, node: TextNode): void {
  const { cost, values } = node
  const lower = (text: Expr): Expr => ({ op: 'lower', text })
  for (const word of wordsOfSeveralCases(values)) {
    const pattern = literalPattern(word)
    const any = cost
      .with('condition.caseless')
      .with('condition.caseless.character', word.length)
      .when(word.length < 3, 'condition.caseless.short')
    set.addOn(node, any, 'content', (text) => ({ op: 'contains', text: lower(text), pattern }))
    const whole = any.with('condition.caseless.whole')
    set.addOn(node, whole, 'content', (text) => equals(lower(text), word))
  }
  const said = values.map((value) => value?.toLowerCase().trim())
  const isAnswer = said.every((value) => value !== undefined && (YES.includes(value) || NO.includes(value)))
  if (!isAnswer) return
  const isTrimmed = values.some((value, row) => value?.length !== said[row]?.length)
  const answer = (text: Expr): Expr => (isTrimmed ? { op: 'trim', text: lower(text) } : lower(text))
  set.addOn(node, cost.with('condition.yes'), 'structure', (text) => ({
    op: 'in',
    value: answer(text),
    list: literal(YES),
  }))
}

/** Adds the condition that the text is a number. */
export function addReadable(set: PredicateSet, node: TextNode): void {
  set.addOn(node, node.cost.with('condition.isNumber'), 'structure', (text) => ({
    op: 'can',
    of: { op: 'parseNumber', text },
  }))
}
