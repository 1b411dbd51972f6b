import type { Pattern } from '../../language/ast.ts'
import type { TokenName } from '../../language/names.ts'
import { equals, literal, literalPattern, tokenPattern } from '../search/build.ts'
import { numberBy } from '../search/derived.ts'
import type { NumberNode, TextNode } from '../search/node.ts'
import type { PredicateKind, PredicateSet } from './predicate.ts'
import { addEndings, addShapePredicates } from './shape-predicates.ts'
import { addCaselessPredicates, addReadable } from './spelling-predicates.ts'
import { stepsOf } from './thresholds.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const EDGE_TOKENS: readonly TokenName[] = ['digits', 'upper', 'lower', 'alpha', 'space', 'punct']
const COUNTED_TOKENS: readonly TokenName[] = ['word', 'digits', 'nonspace', 'upper']
const TOKEN_TESTS = [
  { op: 'contains', feature: 'condition.token.holds' },
  { op: 'startsWith', feature: 'condition.token.starts' },
  { op: 'endsWith', feature: 'condition.token.ends' },
  { op: 'matches', feature: 'condition.token.whole' },
] as const
const FIRST_LETTER_TESTS = TOKEN_TESTS.filter(({ feature }) => feature === 'condition.token.starts')
const VOWEL = { kind: 'regex', regex: '[AEIOUaeiou]' } as const
const LENGTH = numberBy((of) => ({ op: 'length', of }))
const MAX_WORDS = 60
const MAX_EQUAL_LENGTH = 40
const MAX_MARKS = 16
const WORD = /[\p{L}\p{N}]+/gu
const MARKS = /[^\p{L}\p{N}]+/gu

function distinct(texts: readonly (string | undefined)[], find: RegExp, limit: number): string[] {
  const found = new Set<string>()
  for (const text of texts) {
    for (const [match] of (text ?? '').matchAll(find)) {
      if (found.size < limit && match.length <= 24) found.add(match)
    }
  }
  return [...found]
}

/** Returns true when the word is at an end of every text that holds it, next to a mark (no space) or alone. */
function isSetOff(values: readonly (string | undefined)[], word: string, side: 'start' | 'end'): boolean {
  const holding = values.filter((value) => value?.includes(word) === true)
  return holding.every((value) => {
    if (value === undefined || (side === 'start' ? !value.startsWith(word) : !value.endsWith(word))) return false
    const beside = side === 'start' ? value.charAt(word.length) : value.charAt(value.length - word.length - 1)
    return beside !== '' && !/[\p{L}\p{N}\s]/u.test(beside)
  })
}

function addLiteral(set: PredicateSet, node: TextNode, text: string, own: Cost): void {
  const { cost, values } = node
  const kind = /[\p{L}\p{N}]/u.test(text) ? 'content' : 'structure'
  const isWord = kind === 'content'
  const isSign = !isWord && text.trim() !== ''
  const isAtEnd = (side: 'start' | 'end') =>
    isWord
      ? isSetOff(values, text, side)
      : isSign &&
        values.every(
          (value) =>
            value?.includes(text) !== true || (side === 'start' ? value.startsWith(text) : value.endsWith(text)),
        )
  const held = cost.plus(own)
  const atEdge = (side: 'start' | 'end') => held.with(isAtEnd(side) ? 'condition.edge.always' : 'condition.edge')
  const pattern = literalPattern(text)
  set.addOn(node, held, kind, (of) => ({ op: 'contains', text: of, pattern }))
  set.addOn(node, atEdge('start'), kind, (of) => ({ op: 'startsWith', text: of, pattern }))
  set.addOn(node, atEdge('end'), kind, (of) => ({ op: 'endsWith', text: of, pattern }))
}

function wordCost(word: string): Cost {
  if (word.length === 1) return costOf('condition.word.one')
  if (word.length === 2) return costOf('condition.word.two')
  return costOf('condition.word').with('condition.word.character', word.length)
}

function addSteps(
  set: PredicateSet,
  { expr, values }: NumberNode,
  steps: number,
  kind: PredicateKind,
  costOfLimit: (limit: number) => Cost | undefined,
): void {
  for (const limit of stepsOf(values, steps)) {
    const cost = costOfLimit(limit)
    if (cost === undefined) continue
    set.addOn({ expr, values }, cost, kind, (left) => ({ op: 'ge', left, right: literal(limit) }))
  }
}

function addCounts(set: PredicateSet, node: TextNode, pattern: Pattern): void {
  const counted = numberBy((text) => ({ op: 'count', text, pattern }))(node, node.cost)
  // A count of one is the same as `contains`.
  addSteps(set, counted, 6, 'structure', (limit) =>
    limit === 1 ? undefined : node.cost.with('condition.count').with('condition.count.limit', limit),
  )
}

/**
 * Adds conditions on the first words of a text, where the rows share a few of them: people classify such texts by
 * these.
 */
function addFirstWords(set: PredicateSet, node: TextNode): void {
  const { cost, values } = node
  const firsts = values.map((value) => /^\p{L}[\p{L}\p{N}]*(?=[^\p{L}\p{N}])/u.exec(value ?? '')?.[0])
  const distinctFirsts = new Set(firsts)
  if (distinctFirsts.has(undefined) || distinctFirsts.size >= values.length) return
  for (const word of distinctFirsts) {
    if (word === undefined) continue
    const pattern = literalPattern(word)
    set.addOn(node, cost.with('condition.firstWord'), 'structure', (text) => ({ op: 'startsWith', text, pattern }))
  }
}

/** Adds conditions on one text: its content, start, end and length, and whether it is empty. */
export function addTextPredicates(set: PredicateSet, node: TextNode): void {
  const { cost, values } = node
  for (const mark of distinct(values, MARKS, MAX_MARKS)) {
    addLiteral(set, node, mark, costOf('condition.marks').with('condition.marks.character', mark.length))
    const first = mark.slice(0, 1)
    if (first !== mark)
      addLiteral(set, node, first, costOf(mark.includes(' ') ? 'condition.markBeforeSpace' : 'condition.mark'))
  }
  for (const word of distinct(values, WORD, MAX_WORDS)) {
    const isNumber = /^\p{N}+$/u.test(word)
    addLiteral(set, node, word, wordCost(word).when(isNumber, 'condition.word.digits'))
  }
  addCaselessPredicates(set, node)
  addFirstWords(set, node)
  addReadable(set, node)
  addShapePredicates(set, node)
  addEndings(set, node)
  // A column with repeated values is a category: its value is the most likely condition.
  const isCategory = new Set(values).size * 3 <= values.length * 2
  for (const value of new Set(values)) {
    if (value === undefined || value.length > MAX_EQUAL_LENGTH) continue
    const equal = isCategory
      ? cost.with('condition.category').with('condition.category.character', value.length)
      : cost.with('condition.text').with('condition.text.character', value.length)
    set.addOn(node, equal, isCategory ? 'structure' : 'content', (left) => equals(left, value))
  }
  for (const token of EDGE_TOKENS) {
    const pattern = tokenPattern(token)
    for (const { op, feature } of TOKEN_TESTS)
      set.addOn(node, cost.with(feature), 'structure', (text) => ({ op, text, pattern }))
  }
  if (values.every((value) => value === undefined || !value.includes(' ')))
    for (const { op } of FIRST_LETTER_TESTS)
      set.addOn(node, cost.with('condition.vowel'), 'structure', (text) => ({ op, text, pattern: VOWEL }))
  for (const token of COUNTED_TOKENS) addCounts(set, node, tokenPattern(token))
  for (const mark of distinct(values, /[^\p{L}\p{N}]/gu, 8)) addCounts(set, node, literalPattern(mark))
  addSteps(set, LENGTH(node, cost), 8, 'limit', () => cost.with('condition.textLength'))
}
