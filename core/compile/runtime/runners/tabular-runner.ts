import type { Json } from '../../../kernel/json/json.ts'
import { openTabular } from '../../../model/tabular/recipe/open-tabular.ts'
import type { Runner } from '../recipe.ts'

/**
 * Makes a tabular model ready to run. It abstains below its threshold.
 * Throws `recipe_failed` when recipe and weights are not well formed.
 */
export function tabularRunner(recipe: Json, weights: Uint8Array): Runner {
  const model = openTabular(recipe, weights)
  return {
    run(input) {
      const { abstained, output, confidence } = model.answer(input)
      return abstained ? { abstained, output: null, confidence } : { abstained, output, confidence }
    },
  }
}
