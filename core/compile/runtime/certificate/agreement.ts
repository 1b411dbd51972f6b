import { canonicalJson, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { compileProgram } from '../../language/evaluate/evaluate.ts'
import { parseProgram } from '../../language/parse.ts'
import { posteriorOf } from '../../synthesis/questions/posterior.ts'
import type { Runner } from '../recipe.ts'
import { MOST_ALTERNATIVES } from './risk.ts'
import { roundConfidence } from './risk-curve.ts'

/** A program beside the one that ships, right on the same rows, with its share of the posterior. */
export interface Alternative {
  readonly program: JsonObject
  readonly weight: number
}

/**
 * Returns the alternatives of the first of some programs of one search with their shares of the posterior of all that
 * are kept; the first has the rest.
 */
export function weighAlternatives(
  programs: readonly { readonly recipe: JsonObject; readonly cost: number }[],
): readonly Alternative[] {
  const kept = programs.slice(0, 1 + MOST_ALTERNATIVES)
  const shares = posteriorOf(kept)
  return kept.slice(1).map(({ recipe }, i) => ({ program: recipe, weight: roundConfidence(shares[i + 1] ?? 0) }))
}

/**
 * Returns a program's runner whose confidence is the share of the posterior that agrees with its answer: an alternative
 * with another answer, or with none, disagrees. Answers are compared in canonical form. Throws as `parseProgram`.
 */
export function agreementRunner(runner: Runner, alternatives: readonly Alternative[]): Runner {
  if (alternatives.length === 0) return runner
  const rivals = alternatives.map(({ program, weight }) => ({
    compiled: compileProgram(parseProgram(program)),
    weight,
  }))
  return {
    run(input) {
      const result = runner.run(input)
      if (result.abstained) return result
      let disagreeing = 0
      for (const { compiled, weight } of rivals) {
        const output = compiled.attempt(input)
        if (output === undefined || !isSame(output, result.output)) disagreeing += weight
      }
      return { ...result, confidence: Math.min(1, Math.max(0, 1 - disagreeing)) }
    },
  }
}

function isSame(a: Json, b: Json): boolean {
  return a === b || canonicalJson(a) === canonicalJson(b)
}
