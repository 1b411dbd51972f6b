import { escapeRegex } from '../search/build.ts'
import { isRegexOfLanguage } from '../search/candidate-program.ts'
import type { TextNode } from '../search/node.ts'
import { textBy, type Operand } from '../search/derived.ts'
import { nodeOf, type TextSource } from './source.ts'
import { costOf, type Cost } from '../ranking/cost.ts'

const MAX_TOKENS = 9
const TOKEN = /\p{Lu}\p{Ll}+|\p{Lu}+|\p{Ll}+|\d+| +|[^\p{L}\d ]/gu

interface Shape {
  readonly regex: string
  readonly cost: Cost
}

function classOf(token: string, isLoose: boolean): string {
  if (/^\d/.test(token)) return '[0-9]'
  if (/^\p{Lu}\p{Ll}/u.test(token)) return isLoose ? '[A-Za-z]' : '[A-Z][a-z]'
  if (/^\p{Lu}/u.test(token)) return isLoose ? '[A-Za-z]' : '[A-Z]'
  if (/^\p{Ll}/u.test(token)) return isLoose ? '[A-Za-z]' : '[a-z]'
  return token.startsWith(' ') ? ' ' : escapeRegex(token)
}

function tokensOf(text: string): string[] {
  return text.match(TOKEN) ?? []
}

/** Regular expressions that all the texts match: their tokens by class, with free and with exact lengths. */
function sharedShapes(texts: readonly string[]): Shape[] {
  const rows = texts.map(tokensOf)
  const length = rows[0]?.length ?? 0
  if (length < 1 || length > MAX_TOKENS || rows.some((tokens) => tokens.length !== length)) return []
  let free = ''
  let exact = ''
  let hasExact = true
  for (let at = 0; at < length; at++) {
    const tokens = rows.map((row) => row[at] ?? '')
    const first = tokens[0] ?? ''
    const name = classOf(first, false)
    if (!tokens.every((token) => classOf(token, false) === name)) return []
    const isClass = name.startsWith('[')
    const widths = new Set(tokens.map((token) => token.length))
    const isSame = tokens.every((token) => token === first)
    if (!isClass) {
      free += name === ' ' ? ' +' : name
      exact += name === ' ' ? ' ' : name
    } else if (isSame && /^\p{L}/u.test(first) && texts.length > 2) {
      free += first
      exact += first
    } else {
      free += name === '[A-Z][a-z]' ? '[A-Z][a-z]+' : `${name}+`
      if (widths.size === 1)
        exact += name === '[A-Z][a-z]' ? `[A-Z][a-z]{${first.length - 1}}` : `${name}{${first.length}}`
      else hasExact = false
    }
  }
  // The position of a single run of one class is weakly determined.
  const tokens = costOf('shape.token', length)
  const shapes = [{ regex: free, cost: tokens.with('shape').when(length === 1, 'shape.bare') }]
  if (hasExact && exact !== free) shapes.push({ regex: exact, cost: tokens.with('shape.exact') })
  return shapes.filter(({ regex }) => isRegexOfLanguage(regex))
}

/** A match of a regular expression in texts; a later one than the first costs more. */
export function matchPiece(of: Operand, regex: string, occurrence: number, cost: Cost): TextNode {
  const extract = textBy((text) => ({ op: 'extract', text, pattern: { kind: 'regex', regex }, occurrence }))
  return extract(of, cost.when(occurrence !== 1, 'shape.laterMatch'))
}

/**
 * Pieces of the source that have the shape which all outputs share: the first and the last match of a regular
 * expression made from the outputs.
 */
export function shapedPieces(source: TextSource, outputs: readonly string[]): TextNode[] {
  const out: TextNode[] = []
  for (const { regex, cost } of sharedShapes(outputs)) {
    for (const occurrence of [1, -1, 2]) {
      const node = matchPiece(nodeOf(source), regex, occurrence, source.cost.plus(cost))
      if (node.values.some((value) => value !== undefined)) out.push(node)
    }
  }
  return out
}
