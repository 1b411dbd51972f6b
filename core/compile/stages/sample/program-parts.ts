import type { Json } from '../../../kernel/json/json.ts'
import type { Expr, Program } from '../../language/ast.ts'

/** Fields of an expression that decide, and are not part of the value. */
const DECIDING: ReadonlySet<string> = new Set(['cond', 'when', 'where', 'key', 'keys'])
/** Operators that measure a text. */
const MEASURES: ReadonlySet<string> = new Set(['length', 'count'])
/** Operators that read the input. */
const INPUTS: ReadonlySet<string> = new Set(['input', 'field'])
const COMPARISONS: ReadonlySet<string> = new Set(['gt', 'ge', 'lt', 'le'])

function isExpr(value: unknown): value is Expr {
  return typeof value === 'object' && value !== null && 'op' in value && typeof value.op === 'string'
}

function expressionsIn(value: unknown, skipped: ReadonlySet<string>): Expr[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]): Expr[] => {
    if (skipped.has(name)) return []
    return isExpr(inner) ? [inner] : expressionsIn(inner, skipped)
  })
}

const NOTHING: ReadonlySet<string> = new Set()

const CHOICES: ReadonlySet<string> = new Set(['if', 'switch', 'lookup', 'orElse', 'coalesce'])

/**
 * The expressions that an expression makes its value of, without those that only decide. A literal has none; choices
 * inside a choice are one choice, and give their parts.
 */
export function partsOf(expr: Expr): readonly Expr[] {
  if (expr.op === 'literal') return []
  const parts = expressionsIn(expr, DECIDING)
  return CHOICES.has(expr.op) ? parts.flatMap((part) => (CHOICES.has(part.op) ? partsOf(part) : [part])) : parts
}

/** Returns true for a program that reads its input: any other gives one answer to all. */
export function readsInput({ body }: Program): boolean {
  return holds(body, ({ op }) => INPUTS.has(op))
}

function holds(expr: Expr, isWanted: (expr: Expr) => boolean): boolean {
  if (isWanted(expr)) return true
  return expr.op !== 'literal' && expressionsIn(expr, NOTHING).some((part) => holds(part, isWanted))
}

/** Returns true for a condition on numbers or dates that the input holds, as opposed to the length of a text. */
export function readsQuantity(condition: Expr): boolean {
  if (condition.op === 'and') return condition.of.every(readsQuantity)
  if (condition.op === 'not') return readsQuantity(condition.of)
  return COMPARISONS.has(condition.op) && !holds(condition, ({ op }) => MEASURES.has(op))
}

const SEARCHES: ReadonlySet<string> = new Set(['contains', 'startsWith', 'endsWith'])

function literalOf(expr: Expr): string | undefined {
  if (!SEARCHES.has(expr.op) || !('pattern' in expr)) return undefined
  const { pattern } = expr
  return typeof pattern === 'object' && 'text' in pattern && typeof pattern.text === 'string' ? pattern.text : undefined
}

/** The texts that the conditions of an expression look for, at any depth. */
export function soughtTexts(expr: Expr): readonly string[] {
  const own = literalOf(expr)
  const inner = expr.op === 'literal' ? [] : expressionsIn(expr, NOTHING).flatMap(soughtTexts)
  return own === undefined ? inner : [own, ...inner]
}

/** The constants among which an expression chooses. */
export function answersOf(expr: Expr): readonly Json[] {
  switch (expr.op) {
    case 'literal':
      return [expr.value]
    case 'if':
      return [...answersOf(expr.then), ...answersOf(expr.else)]
    case 'switch':
      return [...expr.cases.flatMap(({ then }) => answersOf(then)), ...answersOf(expr.else)]
    case 'lookup':
      return [...expr.cases.map(({ value }) => value), ...(expr.default === undefined ? [] : answersOf(expr.default))]
    case 'orElse':
    case 'coalesce':
      return expr.of.flatMap(answersOf)
    default:
      return []
  }
}
