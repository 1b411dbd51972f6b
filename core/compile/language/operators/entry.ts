import type { Json, JsonObject } from '../../../kernel/json/json.ts'
import type { FailureReason } from '../errors.ts'
import type { BoundStep, CompiledPattern, PosStep } from '../evaluate/compiler.ts'
import type { Frame, Step } from '../evaluate/frame.ts'
import type { Language, Scalar } from '../names.ts'
import type { DateElement } from '../primitives/dates/date-pattern.ts'
import type { CompiledCharSet } from '../primitives/text/char-classes.ts'
import type { HeldBy, TypeSet, Value } from '../value-types.ts'
import type { Fields } from './fields.ts'

/** Result type of an expression: a fixed set of types, or the types of the named fields. */
export type ResultRule = TypeSet | readonly string[]

/** Values of an expression's field. */
type TakenBy<S> = S extends { readonly takes: infer T }
  ? HeldBy<T>
  : S extends { readonly accepts: infer T }
    ? HeldBy<T>
    : Value

/** The form in which `evaluate` gets a field of a node. */
export type Prepared<S> = S extends { readonly kind: 'expr'; readonly binds: string }
  ? BoundStep<TakenBy<S>>
  : S extends { readonly kind: 'expr' }
    ? Step<TakenBy<S>>
    : S extends { readonly kind: 'exprs'; readonly accepts: infer T }
      ? readonly Step<HeldBy<T>>[]
      : S extends { readonly kind: 'choice'; readonly values: readonly (infer V)[] }
        ? V
        : S extends { readonly kind: 'records'; readonly fields: infer F }
          ? readonly PreparedFields<F>[]
          : S extends { readonly kind: 'name'; readonly bound: true }
            ? Step
            : S extends { readonly kind: 'strings'; readonly values: readonly (infer V)[] }
              ? readonly V[]
              : S extends { readonly kind: keyof PreparedKinds }
                ? PreparedKinds[S['kind']]
                : never

interface PreparedKinds {
  readonly pos: PosStep
  readonly pattern: CompiledPattern
  readonly charSet: CompiledCharSet
  readonly integer: number
  readonly string: string
  readonly flag: boolean
  readonly json: Json
  readonly scalar: Scalar
  readonly name: string
  readonly strings: readonly string[]
  readonly steps: readonly (string | number)[]
  readonly regex: string
  readonly datePattern: readonly DateElement[]
}

/** Names of the fields that a node may leave out. */
export type OptionalNames<F> = { [K in keyof F]: F[K] extends { readonly optional: true } ? K : never }[keyof F]

/** The fields of a node, each in the form in which `evaluate` gets it. */
export type PreparedFields<F> = string extends keyof F
  ? AnyPreparedFields
  : { readonly [K in Exclude<keyof F, OptionalNames<F>>]: Prepared<F[K]> } & {
      readonly [K in OptionalNames<F>]?: Prepared<F[K]>
    }

/** Prepared fields of an operator that is known only when a program is compiled. */
export interface AnyPreparedFields {
  readonly [name: string]: AnyPrepared
}

/** A prepared field of a kind that is known only when a program is compiled. */
export type AnyPrepared =
  | PreparedKinds[keyof PreparedKinds]
  | Step
  | BoundStep
  | readonly Step[]
  | readonly AnyPreparedFields[]
  | undefined

type OperandsOf<F, O> = {
  [I in keyof O]: O[I] extends keyof F ? TakenBy<F[O[I]]> : never
}

/**
 * Computes the answer from the values of the operands; the frame carries fuel and memory. Undefined: there is none.
 * (Declared as a method, so that a table may hold operators on operands of different types.)
 */
export type Evaluation<V extends readonly unknown[] = readonly Value[]> = {
  run(...args: [...operands: V, frame: Frame]): Value | undefined
}['run']

/** Prints parts of a node. */
export interface Printer {
  readonly node: (value: Json | undefined) => string
  /** A constant, cut when it is long. */
  readonly json: (value: Json | undefined) => string
  /** A name as it is. */
  readonly plain: (value: Json | undefined) => string
  /** Every step of a path, behind what it starts from. */
  readonly steps: (steps: Json | undefined) => string
  /** Every item of a list of expressions. */
  readonly nodes: (items: Json | undefined) => readonly string[]
  /** Every record of a list. */
  readonly records: (items: Json | undefined) => readonly JsonObject[]
  /** The first cases and the rest. */
  readonly cases: (cases: readonly string[], otherwise: Json | undefined) => string
}

/** One operator: everything that the language knows about it. Checks, schema, printer and page are derived. */
export interface Operator<F extends Fields = Fields, O extends readonly string[] = readonly string[]> {
  /** The version that adds it; absent for operators of the first. */
  readonly since?: Language
  /** The fields of a node, in the order they are written. */
  readonly fields: F
  /**
   * The fields whose expressions are evaluated first, in this order; `evaluate` gets their values. All other fields
   * come prepared: an expression as a step to take or not.
   */
  readonly operands: O
  readonly result: ResultRule
  /** Where the checker knows more than `result`: the type of the constant, or of the bound name. */
  readonly narrows?: 'constant' | 'binding'
  /** One line for people; the published table holds it. */
  readonly meaning: string
  /**
   * Charges that every evaluation makes: `scan` the first operand, when it is a text, before; `make` the text that is
   * the answer, after. `evaluate` makes all others.
   */
  readonly fuel?: readonly ('scan' | 'make')[]
  /** The reason for the failure when `evaluate` gives undefined. */
  readonly fails?: FailureReason
  /** An infix sign, or a function; without it a node prints as a call of its fields. */
  readonly print?: string | ((node: JsonObject, print: Printer) => string)
  /** Published examples: one JSON object a line, with the `body` of a program and the `cases`. */
  readonly vectors: string
  /** Names in ranking.json of the features that the search counts for a node of this operator. */
  readonly features?: readonly string[]
  /**
   * Gives constants worth trying, likeliest first, on columns of operand values: one column for each operand, one value
   * for each row, undefined where a row has none. Each proposal holds the fields of a node other than the operands.
   */
  propose?(...columns: readonly (readonly (Value | undefined)[])[]): Iterable<JsonObject>
  /**
   * Gives the first operand that makes this answer, for operators that have an inverse; `evaluate` of it is the answer
   * again. Undefined when no operand does.
   */
  witness?(answer: Value, given: Omit<PreparedFields<F>, O[number]>): Value | undefined
  /** Makes an evaluation out of the prepared fields. `op` is the operator's name, for failures. */
  evaluate(given: Omit<PreparedFields<F>, O[number]>, op: string): Evaluation<OperandsOf<F, O>>
}

/** An operator of unknown fields. */
export type AnyOperator = Operator

/** Defines an operator; the types of what `evaluate` gets follow from the fields. */
export function operator<const F extends Fields, const O extends readonly (keyof F & string)[]>(
  entry: Operator<F, O>,
): Operator<F, O> {
  return entry
}
