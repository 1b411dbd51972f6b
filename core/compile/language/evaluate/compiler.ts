import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { Expr, Pattern, Pos } from '../ast.ts'
import { CivilDate } from '../primitives/dates/civil-date.ts'
import type { Matches } from '../primitives/text/tokens.ts'
import { failure, type Frame, type Step, type Value } from './frame.ts'

/** Finds the matches in a text; may stop after `limit` of them. */
export type MatchStep = (frame: Frame, text: string, limit: number) => Matches

/** A pattern ready to search with. */
export interface CompiledPattern {
  readonly all: MatchStep
  readonly isIn: (frame: Frame, text: string) => boolean
  readonly isAtStart: (frame: Frame, text: string) => boolean
  readonly isAtEnd: (frame: Frame, text: string) => boolean
  readonly isWhole: (frame: Frame, text: string) => boolean
}

/** Returns a position in a text; throws without one. */
export type PosStep = (frame: Frame, text: string) => number

/** Compiles the parts of a node. `bind` compiles with one more name in scope; the slot holds its value. */
export interface Compiler {
  expr(expr: Expr): Step
  pattern(pattern: Pattern, group?: number): CompiledPattern
  pos(pos: Pos): PosStep
  bind(name: string): { readonly inner: Compiler; readonly slot: number }
  /** Returns the slot of the innermost binding of the name; -1 without one. */
  slotOf(name: string): number
}

/** Compiles an operand that must be a text. */
export function textOf(compiler: Compiler, expr: Expr, op: string): Step<string> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (typeof value !== 'string') throw mismatch
    return value
  }
}

/** Compiles an operand that must be a number. */
export function numberOf(compiler: Compiler, expr: Expr, op: string): Step<number> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (typeof value !== 'number') throw mismatch
    return value
  }
}

/** Compiles an operand that must be a boolean. */
export function booleanOf(compiler: Compiler, expr: Expr, op: string): Step<boolean> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (typeof value !== 'boolean') throw mismatch
    return value
  }
}

/** Compiles an operand that must be a date. */
export function dateOf(compiler: Compiler, expr: Expr, op: string): Step<CivilDate> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (!(value instanceof CivilDate)) throw mismatch
    return value
  }
}

/** True for lists. */
export function isList(value: Value): value is readonly Json[] {
  return Array.isArray(value)
}

/** True for objects, not lists nor dates. */
export function isObject(value: Value): value is JsonObject {
  return !(value instanceof CivilDate) && isJsonObject(value)
}

/** Compiles an operand that must be a list. */
export function listOf(compiler: Compiler, expr: Expr, op: string): Step<readonly Json[]> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (!isList(value)) throw mismatch
    return value
  }
}

/** Compiles an operand that must be an object. */
export function objectOf(compiler: Compiler, expr: Expr, op: string): Step<JsonObject> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (!isObject(value)) throw mismatch
    return value
  }
}

/** Compiles an operand that must be a JSON value: anything but a date. */
export function jsonOf(compiler: Compiler, expr: Expr, op: string): Step<Json> {
  const step = compiler.expr(expr)
  const mismatch = failure('type_mismatch', op)
  return (frame) => {
    const value = step(frame)
    if (value instanceof CivilDate) throw mismatch
    return value
  }
}
