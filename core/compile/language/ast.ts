import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { CharSet, Language, Scalar } from './names.ts'
import type { OptionalNames } from './operators/entry.ts'
import type { PATTERNS } from './operators/patterns.ts'
import type { POSITIONS } from './operators/positions.ts'
import type { OPERATORS } from './operators/table.ts'

export { type CharSet, LANGUAGE, LANGUAGE_2, type Language } from './names.ts'

/** A whole program: one expression over `{op: 'input'}`. It is plain JSON. */
export interface Program {
  readonly language: Language
  readonly body: Expr
}

interface PlainKinds {
  readonly expr: Expr
  readonly exprs: readonly Expr[]
  readonly pos: Pos
  readonly pattern: Pattern
  readonly charSet: CharSet
  readonly integer: number
  readonly string: string
  readonly flag: boolean
  readonly json: Json
  readonly scalar: Scalar
  readonly name: string
  readonly strings: readonly string[]
  readonly steps: readonly (string | number)[]
  readonly regex: string
  readonly datePattern: string
}

/** The value of a field in a program. */
type FieldValue<S> = S extends { readonly kind: 'choice'; readonly values: readonly (infer V)[] }
  ? V
  : S extends { readonly kind: 'records'; readonly fields: infer F }
    ? readonly Members<F>[]
    : S extends { readonly kind: 'strings'; readonly values: readonly (infer V)[] }
      ? readonly V[]
      : S extends { readonly kind: keyof PlainKinds }
        ? PlainKinds[S['kind']]
        : never

type Members<F> = { readonly [K in Exclude<keyof F, OptionalNames<F>>]: FieldValue<F[K]> } & {
  readonly [K in OptionalNames<F>]?: FieldValue<F[K]>
}

/** The nodes of a table, distinguished by the member `Tag`. */
type NodesOf<Table, Tag extends string> = {
  [Name in keyof Table]: Table[Name] extends { readonly fields: infer F }
    ? { readonly [T in Tag]: Name } & Members<F>
    : never
}

type ExprNodes = NodesOf<typeof OPERATORS, 'op'>

/** An expression. Every evaluation ends: there is no recursion and no loop but over the items of a list. */
export type Expr = ExprNodes[keyof ExprNodes]

type PatternNodes = NodesOf<typeof PATTERNS, 'kind'>

/** A search pattern. Matches never overlap and are counted from the left. */
export type Pattern = PatternNodes[keyof PatternNodes]

type PosNodes = NodesOf<typeof POSITIONS, 'op'>

/** A position in the text that is being sliced; see `POSITIONS`. */
export type Pos = PosNodes[keyof PosNodes]

/** An expression as the JSON it is. TypeScript does not see it: to it an absent optional member might be undefined. */
export function exprJson(expr: Expr): JsonObject {
  return expr as unknown as JsonObject
}

/** A program as the JSON it is. */
export function programJson(program: Program): JsonObject {
  return { language: program.language, body: exprJson(program.body) }
}
