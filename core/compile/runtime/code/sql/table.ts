import type { Expr, Pos } from '../../../language/ast.ts'
import type { TypeSet } from '../../../language/value-types.ts'
import type { OperatorName, Refused } from '../writing/dialect.ts'
import type { Names } from '../writing/names.ts'

/** Types of columns and expressions; `texts` is a list of texts, which no column holds. */
export type SqlType = 'text' | 'number' | 'boolean' | 'texts'

/** An expression of Postgres; it is null where the program has no answer. */
export interface SqlCode {
  readonly code: string
  readonly type: SqlType
}

/** An expression; `isTotal` when it is never null. */
export interface Printed extends SqlCode {
  readonly isTotal: boolean
}

/** A parameter of the function. */
export interface Column extends SqlCode {
  /** Member of the input; undefined for the whole input. */
  readonly member: string | undefined
}

/** Writes the expressions of one program. `wanted` are the types that the place of an expression takes. */
export interface SqlWriter {
  readonly names: Names
  /** Throws `CannotSay`. */
  print(node: Expr, wanted: TypeSet): Printed
  /** A text; an expression of another type cannot be said. */
  text(node: Expr): string
  texts(node: Expr): string
  number(node: Expr): string
  condition(node: Expr): Printed
  /** An expression that is never null; one that may be cannot be said. */
  total(node: Expr, wanted: TypeSet, type: SqlType): string
  /** Expressions of one type. */
  alike(nodes: readonly Expr[], wanted: TypeSet): readonly [Printed, ...Printed[]]
  bound(name: string): Printed
  /** The writer for expressions in which the name denotes a value. */
  within(name: string, value: Printed): SqlWriter
  /** The number of code points before a position of the text. */
  position(pos: Pos, text: string): string
}

type NodeOf<Op extends OperatorName> = Extract<Expr, { readonly op: Op }>
export type SqlPrinter<Node> = { print(node: Node, write: SqlWriter, wanted: TypeSet): SqlCode }['print']
/** Each operator in Postgres: as an expression that is null without an answer, or not at all. */
export type SqlTable = { readonly [Op in OperatorName]: SqlPrinter<NodeOf<Op>> | Refused }
/** Any printer of the table. */
export type AnySqlPrinter = SqlPrinter<Expr> | Refused

/** The printers of a group of operators. */
export type SqlTableOf<Group> = Pick<SqlTable, keyof Group & keyof SqlTable>

export const text = (code: string): SqlCode => ({ code, type: 'text' })
export const texts = (code: string): SqlCode => ({ code, type: 'texts' })
export const bool = (code: string): SqlCode => ({ code, type: 'boolean' })
export const number = (code: string): SqlCode => ({ code, type: 'number' })

/** The length of a text in UTF-16 code units. */
export function units(code: string): string {
  return `(length(${code}) + length(regexp_replace(${code}, '[\\u0001-\\uFFFF]+', '', 'g')))`
}

/** A choice that is null where the condition is. */
export function choose(condition: Printed, then: string, otherwise: string): string {
  if (condition.isTotal) return `CASE WHEN ${condition.code} THEN ${then} ELSE ${otherwise} END`
  return `CASE ${condition.code} WHEN true THEN ${then} WHEN false THEN ${otherwise} END`
}
