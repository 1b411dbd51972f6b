import type { Expr, Pattern } from '../../language/ast.ts'
import type { TokenName } from '../../language/names.ts'
import { tokenMatches } from '../../language/primitives/text/tokens.ts'
import { literal, literalPattern, tokenPattern } from '../search/build.ts'
import type { TextNode } from '../search/node.ts'
import type { PredicateSet } from './predicate.ts'
import { addCaselessPredicates, addReadable } from './spelling-predicates.ts'
import { stepsOf } from './thresholds.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const EDGE_TOKENS: readonly TokenName[] = ['digits', 'upper', 'lower', 'alpha', 'space', 'punct']
const COUNTED_TOKENS: readonly TokenName[] = ['word', 'digits', 'nonspace', 'upper']
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

function holdsOn(values: readonly (string | undefined)[], test: (text: string) => boolean): boolean[] {
  return values.map((value) => value !== undefined && test(value))
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

function addLiteral(set: PredicateSet, { expr, cost, values }: TextNode, text: string, own: Cost): void {
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
  set.add(
    { op: 'contains', text: expr, pattern },
    held,
    kind,
    holdsOn(values, (v) => v.includes(text)),
  )
  set.add(
    { op: 'startsWith', text: expr, pattern },
    atEdge('start'),
    kind,
    holdsOn(values, (v) => v.startsWith(text)),
  )
  set.add(
    { op: 'endsWith', text: expr, pattern },
    atEdge('end'),
    kind,
    holdsOn(values, (v) => v.endsWith(text)),
  )
}

function wordCost(word: string): Cost {
  if (word.length === 1) return costOf('condition.word.one')
  if (word.length === 2) return costOf('condition.word.two')
  return costOf('condition.word').with('condition.word.character', word.length)
}

function addCounts(
  set: PredicateSet,
  { expr, cost, values }: TextNode,
  pattern: Pattern,
  count: (text: string) => number,
): void {
  const counts = values.map((value) => (value === undefined ? undefined : count(value)))
  for (const limit of stepsOf(counts, 6)) {
    // A count of one is the same as `contains`.
    if (limit === 1) continue
    set.add(
      { op: 'ge', left: { op: 'count', text: expr, pattern }, right: literal(limit) },
      cost.with('condition.count').with('condition.count.limit', limit),
      'structure',
      counts.map((value) => value !== undefined && value >= limit),
    )
  }
}

/**
 * Adds conditions on the first words of a text, where the rows share a few of them: people classify such texts by
 * these.
 */
function addFirstWords(set: PredicateSet, { expr, cost, values }: TextNode): void {
  const firsts = values.map((value) => /^\p{L}[\p{L}\p{N}]*(?=[^\p{L}\p{N}])/u.exec(value ?? '')?.[0])
  const distinctFirsts = new Set(firsts)
  if (distinctFirsts.has(undefined) || distinctFirsts.size >= values.length) return
  for (const word of distinctFirsts) {
    if (word === undefined) continue
    const holds = holdsOn(values, (value) => value.startsWith(word))
    set.add(
      { op: 'startsWith', text: expr, pattern: literalPattern(word) },
      cost.with('condition.firstWord'),
      'structure',
      holds,
    )
  }
}

/** Adds conditions on one text: its content, start, end and length, and whether it is empty. */
export function addTextPredicates(set: PredicateSet, node: TextNode): void {
  const { expr, cost, values } = node
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
  // A column with repeated values is a category: its value is the most likely condition.
  const isCategory = new Set(values).size * 3 <= values.length * 2
  for (const value of new Set(values)) {
    if (value === undefined || value.length > MAX_EQUAL_LENGTH) continue
    const isEqual: Expr = { op: 'eq', left: expr, right: literal(value) }
    const equal = isCategory
      ? cost.with('condition.category').with('condition.category.character', value.length)
      : cost.with('condition.text').with('condition.text.character', value.length)
    set.add(
      isEqual,
      equal,
      isCategory ? 'structure' : 'content',
      holdsOn(values, (v) => v === value),
    )
  }
  for (const token of EDGE_TOKENS) {
    const pattern = tokenPattern(token)
    const found = values.map((value) => (value === undefined ? undefined : tokenMatches(value, token)))
    const on = (test: (matches: readonly number[], text: string) => boolean) =>
      found.map((matches, row) => matches !== undefined && matches.length > 0 && test(matches, values[row] ?? ''))
    set.add(
      { op: 'contains', text: expr, pattern },
      cost.with('condition.token.holds'),
      'structure',
      on(() => true),
    )
    set.add(
      { op: 'startsWith', text: expr, pattern },
      cost.with('condition.token.starts'),
      'structure',
      on((matches) => matches[0] === 0),
    )
    set.add(
      { op: 'endsWith', text: expr, pattern },
      cost.with('condition.token.ends'),
      'structure',
      on((matches, text) => matches.at(-1) === text.length),
    )
    set.add(
      { op: 'matches', text: expr, pattern },
      cost.with('condition.token.whole'),
      'structure',
      on((matches, text) => matches.length === 2 && matches[0] === 0 && matches[1] === text.length),
    )
  }
  for (const token of COUNTED_TOKENS) {
    addCounts(set, node, tokenPattern(token), (text) => tokenMatches(text, token).length / 2)
  }
  for (const mark of distinct(values, /[^\p{L}\p{N}]/gu, 8)) {
    addCounts(set, node, literalPattern(mark), (text) => text.split(mark).length - 1)
  }
  const lengths = values.map((value) => value?.length)
  for (const limit of stepsOf(lengths, 8)) {
    set.add(
      { op: 'ge', left: { op: 'length', of: expr }, right: literal(limit) },
      cost.with('condition.textLength'),
      'limit',
      lengths.map((length) => length !== undefined && length >= limit),
    )
  }
}
