import { canonicalJson, hashJson, sha256, type Sha256 } from '../../json.ts'
import { classifierRunner } from '../../model/classifier/classifier-runner.ts'
import { parseProgram } from '../language/parse.ts'
import { programRunner } from '../language/runner.ts'
import type { Runner } from '../recipe.ts'
import type { AdapterData, RecipeData } from './stage-types.ts'

/** Makes a candidate ready to run. Throws `recipe_failed` when it is not well formed. */
export function openCandidate(data: RecipeData): Runner {
  return data.kind === 'program'
    ? programRunner(parseProgram(data.recipe))
    : classifierRunner(data.recipe, data.weights)
}

/** What the size axis counts: bytes of the recipe in canonical JSON and of its weights, uncompressed. */
export function sizeOf(data: RecipeData | AdapterData): number {
  switch (data.kind) {
    case 'program':
      return Buffer.byteLength(canonicalJson(data.recipe))
    case 'classifier':
      return Buffer.byteLength(canonicalJson(data.recipe)) + data.weights.length
    case 'lora':
      return (
        Buffer.byteLength(canonicalJson({ ...data.recipe })) + data.adapter.config.length + data.adapter.weights.length
      )
  }
}

/** The identity of a candidate: hash of its recipe, and of its weights where it has some. */
export function hashOf(data: RecipeData | AdapterData): Sha256 {
  if (data.kind === 'program') return hashJson(data.recipe)
  if (data.kind === 'lora') {
    return hashJson({ recipe: hashJson({ ...data.recipe }), weights: sha256(data.adapter.weights) })
  }
  return hashJson({ recipe: hashJson(data.recipe), weights: sha256(data.weights) })
}
