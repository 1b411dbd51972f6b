import type { Runner } from '../runtime/recipe.ts'
import type { Program } from './ast.ts'
import { RecipeError } from './errors.ts'
import { compileProgram } from './evaluate/evaluate.ts'

/**
 * Returns a program as a runner. It is compiled once, and its confidence is 1. A table without a default abstains for
 * an unknown key. Any other failure is thrown.
 */
export function programRunner(program: Program): Runner {
  const compiled = compileProgram(program)
  return {
    run(input) {
      try {
        return { abstained: false, output: compiled.evaluate(input), confidence: 1 }
      } catch (error) {
        if (!(error instanceof RecipeError) || error.reason !== 'no_match' || error.operator !== 'lookup') throw error
        return { abstained: true, output: null, confidence: 0 }
      }
    },
  }
}
