import { CLASS_NAMES, type Language, LANGUAGE_2, NEW_NAMES } from '../names.ts'
import { LIST, type TypeSet, type TypesOf } from '../value-types.ts'

/** Kind of value in one field of a node. Optional fields may be left out. */
export type FieldSpec = FieldShape & {
  readonly optional?: true
  /** The version that adds it; absent for fields of the version that adds the node. */
  readonly since?: Language
}

type FieldShape =
  /**
   * An expression of one of the types. `binds` names the field that holds the name it may use. `takes` are the types
   * that an evaluation lets through, where the operator itself refuses those outside `accepts`.
   */
  | { readonly kind: 'expr'; readonly accepts: TypeSet; readonly takes?: TypeSet; readonly binds?: string }
  | { readonly kind: 'exprs'; readonly accepts: TypeSet; readonly min: number }
  | { readonly kind: 'pos' }
  /** `group` names the field that holds the group of the regex that counts. */
  | { readonly kind: 'pattern'; readonly group?: string }
  | { readonly kind: 'charSet' }
  | { readonly kind: 'integer'; readonly min: number; readonly max: number; readonly nonZero?: true }
  | { readonly kind: 'string'; readonly min: number; readonly max: number }
  /** `newer`: those of the values that the second version adds. */
  | { readonly kind: 'choice'; readonly values: readonly string[]; readonly newer?: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'json' }
  | { readonly kind: 'scalar' }
  /** A name: a letter, then letters and digits. `bound`: it must be one in scope. */
  | { readonly kind: 'name'; readonly bound?: true }
  | { readonly kind: 'strings'; readonly values?: readonly string[]; readonly newer?: readonly string[] }
  /** Member names and item indices. */
  | { readonly kind: 'steps' }
  | { readonly kind: 'regex' }
  | { readonly kind: 'datePattern'; readonly isRead: boolean }
  | { readonly kind: 'records'; readonly fields: Fields; readonly min: number }

/** The fields of a node, in the order they are written. */
export type Fields = Readonly<Record<string, FieldSpec>>

/** Longest text that a program holds in one field. */
export const MAX_FIELD_TEXT = 4096
/** Most items in one list of a program. */
export const MAX_FIELD_ITEMS = 4096

interface ExprField<T> {
  readonly kind: 'expr'
  readonly accepts: TypesOf<T>
}
interface IntegerField {
  readonly kind: 'integer'
  readonly min: number
  readonly max: number
}
interface StringField {
  readonly kind: 'string'
  readonly min: number
  readonly max: number
}
interface Choice<V extends string> {
  readonly kind: 'choice'
  readonly values: readonly V[]
  readonly newer: readonly string[]
}

export const expr = <T>(accepts: TypesOf<T>): ExprField<T> => ({ kind: 'expr', accepts })
export const exprs = <T>(
  accepts: TypesOf<T>,
  min = 1,
): Omit<ExprField<T>, 'kind'> & { kind: 'exprs'; min: number } => ({
  kind: 'exprs',
  accepts,
  min,
})
export const boundExpr = <T>(accepts: TypesOf<T>, binds: string): ExprField<T> & { binds: string } => ({
  kind: 'expr',
  accepts,
  binds,
})
/** Lets values of more types through to an operator that checks them itself. */
export const taking = <S extends FieldSpec & { kind: 'expr' }, T>(
  field: S,
  takes: TypesOf<T>,
): S & { takes: TypesOf<T> } => ({
  ...field,
  takes,
})
export const integer = (min: number, max: number): IntegerField => ({ kind: 'integer', min, max })
export const text = (min = 0, max = MAX_FIELD_TEXT): StringField => ({ kind: 'string', min, max })
export const choice = <V extends string>(values: readonly V[], newer: readonly string[] = []): Choice<V> => ({
  kind: 'choice',
  values,
  newer,
})
/** An optional field that the second version adds. */
export const added = <S extends FieldSpec>(field: S): S & { readonly optional: true; readonly since: Language } => ({
  ...field,
  optional: true,
  since: LANGUAGE_2,
})
export const optional = <S extends FieldSpec>(field: S): S & { readonly optional: true } => ({
  ...field,
  optional: true,
})
export const records = <F extends Fields>(fields: F, min = 1): { kind: 'records'; fields: F; min: number } => ({
  kind: 'records',
  fields,
  min,
})
export const json = { kind: 'json' } as const
export const scalar = { kind: 'scalar' } as const
export const flag = { kind: 'flag', optional: true } as const
export const name = { kind: 'name' } as const
export const pattern = { kind: 'pattern' } as const
export const pos = { kind: 'pos' } as const
export const charSet = { kind: 'charSet' } as const
export const occurrence = { kind: 'integer', min: -1_000_000, max: 1_000_000, nonZero: true } as const
export const list = expr(LIST)

/** The fields of a character set. */
export const CHAR_SET: Fields = {
  classes: { kind: 'strings', values: CLASS_NAMES, newer: NEW_NAMES, optional: true },
  chars: optional(text(0, 256)),
}
