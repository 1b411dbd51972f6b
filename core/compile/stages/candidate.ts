import { agreementRunner } from '../runtime/certificate/agreement.ts'
import { classifierRunner } from '../runtime/runners/classifier-runner.ts'
import { compositeRunner } from '../runtime/composite/composite-runner.ts'
import { tabularRunner } from '../runtime/runners/tabular-runner.ts'
import { parseProgram } from '../language/parse.ts'
import { programRunner } from '../language/runner.ts'
import type { Runner } from '../runtime/recipe.ts'
import type { RecipeData } from './stage-types.ts'

export { hashOf, sizeOf } from '../archive/recipe-facts.ts'

/** Makes a candidate ready to run. Throws `recipe_failed` when it is not well formed. */
export function openCandidate(data: RecipeData): Runner {
  switch (data.kind) {
    case 'program':
      return agreementRunner(programRunner(parseProgram(data.recipe)), data.alternatives ?? [])
    case 'classifier':
      return classifierRunner(data.recipe, data.weights)
    case 'tabular':
      return tabularRunner(data.recipe, data.weights)
    case 'composite':
      return compositeRunner(data.recipe, data.leafWeights)
  }
}
