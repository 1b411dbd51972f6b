import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { NthWeekday, ReadDate, WindowEdge } from './date-reading-expr.ts'
import type {
  ArithmeticOp,
  ClassName,
  ComparisonOp,
  DatePart,
  DatePeriod,
  Edge,
  NormalForm,
  RoundMode,
  Scalar,
  Side,
  SignStyle,
  TimeUnit,
  TokenName,
  TypeName,
  WordRule,
} from './names.ts'

/** The version of the language. A program names it; an interpreter refuses a version it does not know. */
export const LANGUAGE = 'svc-recipe-1'
/** The next version: it holds all of the first and adds operators (see `OperatorSpec.since`). */
export const LANGUAGE_2 = 'svc-recipe-2'
export type Language = typeof LANGUAGE | typeof LANGUAGE_2

/** A whole program: one expression over `{op: 'input'}`. It is plain JSON. */
export interface Program {
  readonly language: Language
  readonly body: Expr
}

/** A set of characters: the members of the named classes and the characters of `chars`. */
export interface CharSet {
  readonly classes?: readonly ClassName[]
  readonly chars?: string
}

/** A search pattern. Matches never overlap and are counted from the left. */
export type Pattern =
  | { readonly kind: 'token'; readonly name: TokenName }
  | { readonly kind: 'literal'; readonly text: string }
  /** A literal that is computed, so that one column can be looked for in another. */
  | { readonly kind: 'text'; readonly text: Expr }
  /** A linear-time regular expression (RE2 subset). */
  | { readonly kind: 'regex'; readonly regex: string; readonly ignoreCase?: boolean }

/**
 * A position in the text that is being sliced: 0 is before the first unit, `length` after the last.
 * `occurrence` counts matches from 1 at the start, or from -1 at the end.
 */
export type Pos =
  /** `offset` units after the start, or before the end. */
  | { readonly op: 'absPos'; readonly from: Edge; readonly offset: number }
  /** An edge of the k-th match. */
  | { readonly op: 'matchPos'; readonly pattern: Pattern; readonly occurrence: number; readonly edge: Edge }
  /** The k-th position where a match of `left` ends and a match of `right` starts (FlashFill's regular position). */
  | { readonly op: 'betweenPos'; readonly left: Pattern; readonly right: Pattern; readonly occurrence: number }
  /** Like matchPos, in the part after `base` (occurrence > 0) or before it (occurrence < 0) only. */
  | {
      readonly op: 'seekPos'
      readonly base: Pos
      readonly pattern: Pattern
      readonly occurrence: number
      readonly edge: Edge
    }
  /** `by` units after `base` (before, when negative). */
  | { readonly op: 'shiftPos'; readonly base: Pos; readonly by: number }
  /** A computed position; a negative number counts from the end. */
  | { readonly op: 'exprPos'; readonly value: Expr }

/** Reading the input, constants and names. */
export type BasicExpr =
  | { readonly op: 'literal'; readonly value: Json }
  | { readonly op: 'input' }
  /** A member of an object. */
  | { readonly op: 'field'; readonly of: Expr; readonly name: string }
  /** Members and list items, one after the other: texts are member names, numbers 0-based indices (negative: from the end). */
  | { readonly op: 'path'; readonly of: Expr; readonly steps: readonly (string | number)[] }
  | { readonly op: 'let'; readonly name: string; readonly value: Expr; readonly in: Expr }
  /** A name bound by `let`, `map`, `filter`, `sortBy`, `any` or `all`. */
  | { readonly op: 'var'; readonly name: string }

export type TextExpr =
  | { readonly op: 'concat'; readonly parts: readonly Expr[] }
  | { readonly op: 'slice'; readonly text: Expr; readonly start: Pos; readonly end: Pos }
  | { readonly op: 'upper'; readonly text: Expr }
  | { readonly op: 'lower'; readonly text: Expr }
  /** First letter upper-case, the rest as it was. */
  | { readonly op: 'capitalise'; readonly text: Expr }
  /** First letter upper-case, the rest lower-case. */
  | { readonly op: 'sentence'; readonly text: Expr }
  | { readonly op: 'title'; readonly text: Expr; readonly words?: WordRule }
  /** Removes white space, or the characters of `set`, from the ends. */
  | { readonly op: 'trim'; readonly text: Expr; readonly side?: Side; readonly set?: CharSet }
  /** Every run of white space becomes one space. */
  | { readonly op: 'collapseSpace'; readonly text: Expr }
  /** Pads to `width` units with `fill` on the given side. */
  | { readonly op: 'pad'; readonly text: Expr; readonly side: Edge; readonly width: Expr; readonly fill: string }
  /** Replaces the k-th match, or all of them when there is no `occurrence`. No match: the text as it was. */
  | {
      readonly op: 'replace'
      readonly text: Expr
      readonly find: Pattern
      readonly with: Expr
      readonly occurrence?: number
    }
  | { readonly op: 'split'; readonly text: Expr; readonly by: Pattern; readonly dropEmpty?: boolean }
  | { readonly op: 'join'; readonly list: Expr; readonly separator: Expr }
  | { readonly op: 'repeat'; readonly text: Expr; readonly times: Expr }
  | { readonly op: 'removeChars'; readonly text: Expr; readonly set: CharSet }
  | { readonly op: 'keepChars'; readonly text: Expr; readonly set: CharSet }
  /** The k-th match, or a group of it (regex only). */
  | {
      readonly op: 'extract'
      readonly text: Expr
      readonly pattern: Pattern
      readonly occurrence: number
      readonly group?: number
    }
  | { readonly op: 'extractAll'; readonly text: Expr; readonly pattern: Pattern; readonly group?: number }
  | { readonly op: 'count'; readonly text: Expr; readonly pattern: Pattern }
  /** 0-based index of the start of the k-th match. */
  | { readonly op: 'indexOf'; readonly text: Expr; readonly pattern: Pattern; readonly occurrence: number }
  | { readonly op: 'contains'; readonly text: Expr; readonly pattern: Pattern }
  | { readonly op: 'startsWith'; readonly text: Expr; readonly pattern: Pattern }
  | { readonly op: 'endsWith'; readonly text: Expr; readonly pattern: Pattern }
  /** The pattern matches the text as a whole. */
  | { readonly op: 'matches'; readonly text: Expr; readonly pattern: Pattern }
  /** Units of a text, items of a list, members of an object. */
  | { readonly op: 'length'; readonly of: Expr }
  /** A text by code points, a list by items. */
  | { readonly op: 'reverse'; readonly of: Expr }
  /** The code points of a text, as texts. */
  | { readonly op: 'chars'; readonly text: Expr }
  | { readonly op: 'normalize'; readonly text: Expr; readonly form: NormalForm }

export type NumberExpr =
  | {
      readonly op: 'parseNumber'
      readonly text: Expr
      /** Default `.` */
      readonly decimal?: string
      /** Group separator; default none allowed. */
      readonly group?: string
      /** Allows a currency sign or code at either end. */
      readonly currency?: boolean
      /** `12%` is 0.12; a text without the sign is taken as it is. */
      readonly percent?: boolean
      /** `(12)` is -12. */
      readonly parentheses?: boolean
    }
  | {
      readonly op: 'formatNumber'
      readonly value: Expr
      /** Zeros are added up to this many decimals; default 0. */
      readonly minDecimals?: number
      /** Rounded to this many decimals; default: as many as the number has. */
      readonly maxDecimals?: number
      readonly mode?: RoundMode
      readonly decimal?: string
      readonly group?: string
      /** Zeros are added before, up to this many integer digits; default 1. */
      readonly minDigits?: number
      readonly sign?: SignStyle
    }
  | { readonly op: ArithmeticOp; readonly left: Expr; readonly right: Expr }
  | { readonly op: 'neg' | 'abs' | 'sign'; readonly value: Expr }
  /** To `decimals` places (negative: tens, hundreds). Default mode halfUp. */
  | { readonly op: 'round'; readonly value: Expr; readonly decimals?: number; readonly mode?: RoundMode }
  /** To a multiple of `step`. Default mode halfUp. */
  | { readonly op: 'roundStep'; readonly value: Expr; readonly step: Expr; readonly mode?: RoundMode }
  | { readonly op: 'sum' | 'average' | 'smallest' | 'largest'; readonly list: Expr }
  /** `1st`, `22nd`. */
  | { readonly op: 'ordinal'; readonly value: Expr }
  | { readonly op: 'roman'; readonly value: Expr }
  | { readonly op: 'parseRoman'; readonly text: Expr }
  /** English words: `forty-two`. */
  | { readonly op: 'numberWords'; readonly value: Expr }
  /** Integer in base 2 to 36, lower-case digits. */
  | { readonly op: 'formatRadix'; readonly value: Expr; readonly radix: number }
  | { readonly op: 'parseRadix'; readonly text: Expr; readonly radix: number }

export type DateExpr =
  /** A civil date and time out of a text, the whole of which the pattern must match. `pivot`: yy below it is 20yy; default 69. */
  | { readonly op: 'parseDate'; readonly text: Expr; readonly pattern: string; readonly pivot?: number }
  | { readonly op: 'formatDate'; readonly date: Expr; readonly pattern: string }
  | { readonly op: 'makeDate'; readonly year: Expr; readonly month: Expr; readonly day: Expr }
  | { readonly op: 'addTime'; readonly date: Expr; readonly amount: Expr; readonly unit: TimeUnit }
  | { readonly op: 'startOf' | 'endOf'; readonly date: Expr; readonly period: DatePeriod }
  /** Whole units from `from` to `to`, towards zero. */
  | { readonly op: 'dateDifference'; readonly from: Expr; readonly to: Expr; readonly unit: TimeUnit }
  | { readonly op: 'datePart'; readonly date: Expr; readonly part: DatePart }
  | { readonly op: 'fromUnix'; readonly value: Expr; readonly unit?: 'seconds' | 'milliseconds' }
  /** The same instant at another offset from UTC; a date without an offset is taken as UTC. */
  | { readonly op: 'atOffset'; readonly date: Expr; readonly offsetMinutes: number }

/** Operators on dates that `svc-recipe-2` adds. */
export type DateReadingExpr = ReadDate<Expr> | NthWeekday<Expr> | WindowEdge<Expr>

export type ChoiceExpr =
  | { readonly op: 'if'; readonly cond: Expr; readonly then: Expr; readonly else: Expr }
  | {
      readonly op: 'switch'
      readonly cases: readonly { readonly when: Expr; readonly then: Expr }[]
      readonly else: Expr
    }
  /** A table from constants to constants. Without a default, a key that is not there has no answer. */
  | {
      readonly op: 'lookup'
      readonly key: Expr
      readonly cases: readonly { readonly key: Scalar; readonly value: Json }[]
      readonly ignoreCase?: boolean
      readonly default?: Expr
    }
  | { readonly op: 'and' | 'or'; readonly of: readonly Expr[] }
  | { readonly op: 'not'; readonly of: Expr }
  | { readonly op: ComparisonOp; readonly left: Expr; readonly right: Expr }
  /** The value equals an item of the list. */
  | { readonly op: 'in'; readonly value: Expr; readonly list: Expr }
  /** null, the empty text, the empty list or the empty object. */
  | { readonly op: 'isEmpty'; readonly of: Expr }
  | { readonly op: 'isType'; readonly of: Expr; readonly type: TypeName }
  /** The first value that is neither null nor missing (nor empty, with `skipEmpty`). */
  | { readonly op: 'coalesce'; readonly of: readonly Expr[]; readonly skipEmpty?: boolean }
  /** The first alternative that has an answer. */
  | { readonly op: 'orElse'; readonly of: readonly Expr[] }
  /** True when the expression has an answer. */
  | { readonly op: 'can'; readonly of: Expr }

export type ListExpr =
  | { readonly op: 'list'; readonly items: readonly Expr[] }
  /** 0-based; negative counts from the end. */
  | { readonly op: 'nth'; readonly list: Expr; readonly index: number }
  | { readonly op: 'map'; readonly list: Expr; readonly as: string; readonly body: Expr }
  | { readonly op: 'filter' | 'any' | 'all'; readonly list: Expr; readonly as: string; readonly where: Expr }
  /** Stable; numbers by size or texts by code unit. */
  | { readonly op: 'sort'; readonly list: Expr; readonly descending?: boolean }
  | {
      readonly op: 'sortBy'
      readonly list: Expr
      readonly as: string
      readonly key: Expr
      readonly descending?: boolean
    }
  | { readonly op: 'unique'; readonly list: Expr }
  /** The first `count` items; a negative count takes from the end. */
  | { readonly op: 'take' | 'drop'; readonly list: Expr; readonly count: Expr }
  | { readonly op: 'append'; readonly lists: readonly Expr[] }

export type ObjectExpr =
  /** An `optional` member is left out when its value has no answer. */
  | {
      readonly op: 'object'
      readonly members: readonly { readonly name: string; readonly value: Expr; readonly optional?: boolean }[]
    }
  | { readonly op: 'pick' | 'omit'; readonly of: Expr; readonly names: readonly string[] }
  | {
      readonly op: 'rename'
      readonly of: Expr
      readonly names: readonly { readonly from: string; readonly to: string }[]
    }
  | { readonly op: 'merge'; readonly of: readonly Expr[] }
  | { readonly op: 'keys' | 'values' | 'entries'; readonly of: Expr }
  | { readonly op: 'fromEntries'; readonly list: Expr }

export type ConvertExpr =
  /** Texts as they are, numbers in ECMAScript's shortest form, `true` and `false`. */
  | { readonly op: 'toText'; readonly of: Expr }
  | { readonly op: 'toNumber'; readonly of: Expr }
  | { readonly op: 'toBoolean'; readonly of: Expr }
  /** RFC 8785. */
  | { readonly op: 'toJson'; readonly of: Expr }
  | { readonly op: 'parseJson'; readonly text: Expr }

/** An expression. Every evaluation ends: there is no recursion and no loop but over the items of a list. */
export type Expr =
  | BasicExpr
  | TextExpr
  | NumberExpr
  | DateExpr
  | DateReadingExpr
  | ChoiceExpr
  | ListExpr
  | ObjectExpr
  | ConvertExpr

/** Name of an operator. */
export type Op = Expr['op']
/** An expression as the JSON it is. TypeScript does not see it: to it an absent optional member might be undefined. */
export function exprJson(expr: Expr): JsonObject {
  return expr as unknown as JsonObject
}

/** A program as the JSON it is. */
export function programJson(program: Program): JsonObject {
  return { language: program.language, body: exprJson(program.body) }
}
