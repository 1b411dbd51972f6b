import type { Json } from '../../../kernel/json/json.ts'
import type { Expr } from '../../language/ast.ts'
import { compileEvaluation, type CompiledProgram } from '../../language/evaluate/evaluate.ts'
import { readRegex, RegexSyntaxError } from '../../language/primitives/text/regex-syntax.ts'

/** Returns true when the language accepts a regular expression: it has bounds that long texts of the rows exceed. */
export function isRegexOfLanguage(regex: string): boolean {
  return whyRefused(() => readRegex(regex)) === null
}

/**
 * Compiles an expression that the search made. Returns the reason when the language refuses it: the candidate is then
 * dropped and the search continues. Any other error is a bug and is thrown.
 */
export function compileCandidate(expr: Expr): CompiledProgram | { readonly refused: string } {
  let compiled: CompiledProgram | undefined
  const refused = whyRefused(() => (compiled = compileEvaluation(expr)))
  return compiled ?? { refused: refused ?? '' }
}

/** Returns the values of an expression on inputs; undefined where the language refuses it. */
export function valuesOf(expr: Expr, inputs: readonly Json[]): readonly (Json | undefined)[] | undefined {
  const compiled = compileCandidate(expr)
  return 'refused' in compiled ? undefined : inputs.map((input) => compiled.attempt(input))
}

function whyRefused(make: () => unknown): string | null {
  try {
    make()
    return null
  } catch (error) {
    if (error instanceof RegexSyntaxError) return `regular expression: ${error.message}`
    throw error
  }
}
