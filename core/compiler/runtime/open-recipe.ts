import { DomainError } from '../../errors.ts'
import { classifierRunner } from '../../model/classifier/classifier-runner.ts'
import type { RecipeEntry } from '../archive/documents.ts'
import { parseProgram } from '../language/parse.ts'
import { programRunner } from '../language/runner.ts'
import type { Runner } from '../recipe.ts'

/** Makes a recipe of `recipes.json` ready to run. Throws when it is not well formed or its weights are missing. */
export function openRecipe(recipe: RecipeEntry, weights: Uint8Array | undefined): Runner {
  if (recipe.kind === 'program') return programRunner(parseProgram(recipe.program))
  if (weights === undefined)
    throw new DomainError('invalid_archive', 'weights.bin is missing', { details: { reason: 'missing_member' } })
  return classifierRunner(recipe.classifier, weights)
}
