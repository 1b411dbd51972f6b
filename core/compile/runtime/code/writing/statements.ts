import type { TypeSet } from '../../../language/value-types.ts'

/** A statement of the functions that are written, the same in every language that has statements. */
export type Statement =
  | { readonly kind: 'let'; readonly name: string; readonly value: string }
  | { readonly kind: 'return'; readonly value: string }
  /** Fails when the variable has none of the types. */
  | { readonly kind: 'check'; readonly name: string; readonly types: TypeSet }
  | { readonly kind: 'fail' }
  | { readonly kind: 'if'; readonly condition: string; readonly then: readonly Statement[] }
  /** Runs the body, and continues after it when it has no answer; `missing`: only when a member or item is missing. */
  | { readonly kind: 'try'; readonly only?: 'missing'; readonly body: readonly Statement[] }
  | {
      readonly kind: 'function'
      readonly name: string
      readonly parameters: readonly string[]
      readonly body: readonly Statement[]
    }

/** True for statements that evaluate nothing. */
export function areFunctions(statements: readonly Statement[]): boolean {
  return statements.every(({ kind }) => kind === 'function')
}
