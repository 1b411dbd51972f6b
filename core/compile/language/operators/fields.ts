import type { Language, Op, Pattern, Pos } from '../ast.ts'
import { CLASS_NAMES, TOKEN_NAMES } from '../names.ts'
import { ANY, LIST, NUMBER, TEXT, type TypeSet } from '../value-types.ts'

/** Kind of value in one field of a node. Optional fields may be left out. */
export type FieldSpec = FieldShape & { readonly optional?: true }

type FieldShape =
  /** An expression of one of the types. `binds` names the field that holds the name it may use. */
  | { readonly kind: 'expr'; readonly accepts: TypeSet; readonly binds?: string }
  | { readonly kind: 'exprs'; readonly accepts: TypeSet; readonly min: number }
  | { readonly kind: 'pos' }
  | { readonly kind: 'pattern' }
  | { readonly kind: 'charSet' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly nonZero?: true }
  | { readonly kind: 'string'; readonly min: number; readonly max: number }
  | { readonly kind: 'choice'; readonly values: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'json' }
  | { readonly kind: 'scalar' }
  /** A bound name: a letter, then letters and digits. */
  | { readonly kind: 'name' }
  | { readonly kind: 'strings'; readonly values?: readonly string[] }
  /** Member names and item indices. */
  | { readonly kind: 'steps' }
  | { readonly kind: 'regex' }
  | { readonly kind: 'datePattern'; readonly isRead: boolean }
  | { readonly kind: 'records'; readonly fields: Fields; readonly min: number }

/** The fields of a node, in the order they are written. */
export type Fields = Readonly<Record<string, FieldSpec>>

/** Result type of an expression: a fixed set of types, or the types of the named fields. */
export type ResultRule = TypeSet | readonly string[]

/** One operator: its fields, result and meaning. */
export interface OperatorSpec {
  readonly group: string
  /** The version that adds it; absent for operators of the first. */
  readonly since?: Language
  readonly fields: Fields
  readonly result: ResultRule
  /** One line for people; the published table holds it. */
  readonly meaning: string
}

/** Longest text that a program holds in one field. */
export const MAX_FIELD_TEXT = 4096
/** Most items in one list of a program. */
export const MAX_FIELD_ITEMS = 4096

export const expr = (accepts: TypeSet = ANY): FieldSpec & { kind: 'expr' } => ({ kind: 'expr', accepts })
export const exprs = (accepts: TypeSet, min = 1): FieldSpec => ({ kind: 'exprs', accepts, min })
export const boundExpr = (accepts: TypeSet, binds: string): FieldSpec => ({ kind: 'expr', accepts, binds })
export const integer = (min: number, max: number): FieldSpec => ({ kind: 'integer', min, max })
export const text = (min = 0, max = MAX_FIELD_TEXT): FieldSpec => ({ kind: 'string', min, max })
export const choice = (values: readonly string[]): FieldSpec => ({ kind: 'choice', values })
export const flag: FieldSpec = { kind: 'flag', optional: true }
export const name: FieldSpec = { kind: 'name' }
export const pattern: FieldSpec = { kind: 'pattern' }
export const pos: FieldSpec = { kind: 'pos' }
export const occurrence: FieldSpec = { kind: 'integer', min: -1_000_000, max: 1_000_000, nonZero: true }
export const list: FieldSpec = expr(LIST)
export const optional = (field: FieldSpec): FieldSpec => ({ ...field, optional: true })

/** The position expressions, by `op`. */
export const POSITIONS: Readonly<Record<Pos['op'], Fields>> = {
  absPos: { from: choice(['start', 'end']), offset: integer(0, 1_000_000) },
  matchPos: { pattern, occurrence, edge: choice(['start', 'end']) },
  betweenPos: { left: pattern, right: pattern, occurrence },
  seekPos: { base: pos, pattern, occurrence, edge: choice(['start', 'end']) },
  shiftPos: { base: pos, by: integer(-1_000_000, 1_000_000) },
  exprPos: { value: expr(NUMBER) },
}

/** The patterns, by `kind`. */
export const PATTERNS: Readonly<Record<Pattern['kind'], Fields>> = {
  token: { name: choice(TOKEN_NAMES) },
  literal: { text: text(1) },
  text: { text: expr(TEXT) },
  regex: { regex: { kind: 'regex' }, ignoreCase: flag },
}

/** The fields of a character set. */
export const CHAR_SET: Fields = {
  classes: { kind: 'strings', values: CLASS_NAMES, optional: true },
  chars: optional(text(0, 256)),
}

/** A table of operators of one group. */
export type OperatorTable<Ops extends Op> = Readonly<Record<Ops, OperatorSpec>>
