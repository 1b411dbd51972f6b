import type { Json } from '../../../kernel/json/json.ts'
import type { Expr, Pattern, Pos } from '../../language/ast.ts'
import type { Edge, Scalar, TokenName } from '../../language/names.ts'

/** The input of the program. */
export const INPUT: Expr = { op: 'input' }

/** A constant. */
export function literal(value: Json): Expr {
  return { op: 'literal', value }
}

/** An expression that never has an answer. */
export const NO_ANSWER: Expr = { op: 'nth', list: { op: 'list', items: [] }, index: 0 }

/** The condition that a value is this one. */
export function equals(left: Expr, value: Json): Expr {
  return { op: 'eq', left, right: literal(value) }
}

/** The value that a table has for a key, its cases in the order of their keys; none for a key that it lacks. */
export function lookup(key: Expr, cases: readonly { readonly key: Scalar; readonly value: Json }[]): Expr {
  return { op: 'lookup', key, cases: cases.toSorted((a, b) => (String(a.key) < String(b.key) ? -1 : 1)) }
}

/** A literal pattern. */
export function literalPattern(text: string): Pattern {
  return { kind: 'literal', text }
}

/** A text as a regular expression that matches it alone. */
export function escapeRegex(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}/-]/g, '\\$&')
}

/** A token pattern. */
export function tokenPattern(name: TokenName): Pattern {
  return { kind: 'token', name }
}

/** `offset` units from an end of the text. */
export function absPos(from: Edge, offset: number): Pos {
  return { op: 'absPos', from, offset }
}

/** An edge of the k-th match. */
export function matchPos(pattern: Pattern, occurrence: number, edge: Edge): Pos {
  return { op: 'matchPos', pattern, occurrence, edge }
}

/** The part of a text between two positions. */
export function slice(text: Expr, start: Pos, end: Pos): Expr {
  return { op: 'slice', text, start, end }
}

/** The k-th item of a split, 0-based; negative from the end. */
export function splitItem(text: Expr, by: Pattern, index: number): Expr {
  return { op: 'nth', list: { op: 'split', text, by }, index }
}

/** One text out of parts; neighbouring constants and nested concatenations are merged. */
export function concat(parts: readonly Expr[]): Expr {
  const flat: Expr[] = []
  for (const part of parts) {
    for (const piece of part.op === 'concat' ? part.parts : [part]) {
      const last = flat.at(-1)
      if (
        last?.op === 'literal' &&
        piece.op === 'literal' &&
        typeof last.value === 'string' &&
        typeof piece.value === 'string'
      ) {
        flat[flat.length - 1] = literal(last.value + piece.value)
      } else {
        flat.push(piece)
      }
    }
  }
  const only = flat[0]
  if (only === undefined) return literal('')
  return flat.length === 1 ? only : { op: 'concat', parts: flat }
}
