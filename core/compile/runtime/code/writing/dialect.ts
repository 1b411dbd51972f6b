import type { Json } from '../../../../kernel/json/json.ts'
import type { TypeSet } from '../../../language/value-types.ts'
import type { Expr, Pattern, Pos } from '../../../language/ast.ts'
import type { Statement } from './statements.ts'
import type { Uses } from './uses.ts'

/** A language with functions and statements, as the writer needs it. */
export interface Dialect {
  readonly operators: OperatorTable
  readonly patterns: PatternTable
  readonly positions: PositionTable
  /** Words that no variable may have as its name. */
  readonly reserved: ReadonlySet<string>
  readonly style: 'snake' | 'camel'
  literal(value: Json): string
  /** A value that is checked to have one of the types, at run time. */
  checked(code: string, types: TypeSet, uses: Uses): string
  /** A member of an object that is read from the input; `exact` where a missing one must be distinguished from a wrong type. */
  member(object: string, name: string, isObject: boolean, exact: boolean, uses: Uses): string
  conditional(condition: string, then: string, otherwise: string): string
  not(code: string): string
  isNull(code: string): string
  isEmpty(code: string, uses: Uses): string
  lambda(code: string): string
  render(statements: readonly Statement[], uses: Uses, indent: number): string[]
}

/** The name of an operator. */
export type OperatorName = Expr['op']

type NodeOf<Op extends OperatorName> = Extract<Expr, { readonly op: Op }>
type PatternOf<Kind extends Pattern['kind']> = Extract<Pattern, { readonly kind: Kind }>
type PositionOf<Op extends Pos['op']> = Extract<Pos, { readonly op: Op }>

// Declared as methods, so that a table may hold printers of different nodes.
type Printer<Node> = { print(node: Node, write: Writer): string }['print']
/** Prints a pattern; `captures`: its groups are read. */
export type PatternPrinter<Node> = { print(node: Node, captures: boolean, write: Writer): string }['print']
/** Prints a position in the text, whose code is given. */
export type PlacePrinter<Node> = { print(node: Node, text: string, write: Writer): string }['print']

/** An operator that a language cannot say, and the reason. */
export interface Refused {
  readonly refused: string
}

/** Each operator in a language: as an expression, or not at all. */
export type OperatorTable = { readonly [Op in OperatorName]: Printer<NodeOf<Op>> | Refused }
/** Each pattern in a language: as a regular expression object. */
export type PatternTable = { readonly [Kind in Pattern['kind']]: PatternPrinter<PatternOf<Kind>> }
/** Each position in a language: as an index into the text, whose code is given. */
export type PositionTable = { readonly [Op in Pos['op']]: PlacePrinter<PositionOf<Op>> }

/** Any printer of a table. */
export type AnyPrinter = Printer<Expr> | Refused

/** A name of the program: its code and the types of its value. */
export interface Bound {
  readonly code: string
  readonly types: TypeSet
}

/** Writes the expressions of one program in a language that has statements. */
export interface Writer {
  readonly dialect: Dialect
  readonly uses: Uses
  /** The variable that holds the input. */
  readonly root: string
  /** True inside `coalesce`, where only a missing part may be passed over. */
  readonly isExact: boolean
  /** A call of a helper; empty arguments are left out. */
  call(helper: string, ...args: readonly string[]): string
  /** The types that an expression may have here. */
  types(node: Expr): TypeSet
  /** The value of an expression. Throws `CannotSay` where the language has no form for it. */
  expr(node: Expr): string
  /** The value, checked to have one of the types. */
  operand(node: Expr, accepts: TypeSet): string
  /** The checked value, in brackets where needed. */
  atom(node: Expr, accepts: TypeSet): string
  /** The checked value as a name, so that it can be used twice. */
  name(node: Expr, accepts: TypeSet, wanted: string): string
  /** Puts code into a variable. */
  bind(wanted: string, code: string): string
  bound(name: string): Bound
  /** A value that is evaluated only sometimes: the statements that it needs first become a separate function. */
  branch(node: Expr, accepts: TypeSet): string
  /** A function without parameters that gives the value. */
  thunk(node: Expr, accepts: TypeSet): string
  /** The value of a body for an item: its variable, and the code. */
  forItem(as: string, body: Expr, accepts: TypeSet): { readonly item: string; readonly code: string }
  /** `let` in an expression: the value goes into a variable. */
  letIn(name: string, value: Expr, body: Expr): string
  /** A choice inside an expression: a function that is called at once. */
  choice(node: Expr, wanted: string): string
  /** A regular expression for a pattern; its groups capture only where `captures` says so. */
  pattern(pattern: Pattern, captures?: boolean): string
  /** The index of a position in the text. */
  position(pos: Pos, text: string): string
}
