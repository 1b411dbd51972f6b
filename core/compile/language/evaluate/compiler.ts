import type { Json } from '../../../kernel/json/json.ts'
import type { Matches } from '../primitives/text/tokens.ts'
import type { TypeSet, Value } from '../value-types.ts'
import type { Frame, Step } from './frame.ts'

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

/** An expression over one more name; evaluates it with this value. */
export type BoundStep<T = Value> = (frame: Frame, bound: Value) => T

/** Compiles the parts of a node. */
export interface Compiler {
  /** Compiles an operand of the operator `op`, which fails with `type_mismatch` for a value of another type. */
  operand(node: Json | undefined, accepts: TypeSet, op: string): Step
  /** Compiles an operand whose type is not checked. */
  expr(node: Json | undefined): Step
  /** Compiles a pattern; `group` is the group of a regex that counts as the match. */
  pattern(node: Json | undefined, group?: number): CompiledPattern
  pos(node: Json | undefined): PosStep
  /** Compiles with one more name in scope; the slot holds its value. */
  bind(name: string): { readonly inner: Compiler; readonly slot: number }
  /** Returns the slot of the innermost binding of the name; -1 without one. */
  slotOf(name: string): number
}
