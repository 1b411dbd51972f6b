import { MODEL_ERRORS } from '../../../model/errors.ts'
import type { Json } from '../../../kernel/json/json.ts'
import type { Runner } from '../recipe.ts'
import { ClassifierRecipe } from '../../../model/classifier/classifier-recipe.ts'
import { createIndex } from '../../../model/classifier/hash-table.ts'
import { BIAS_INPUT, softmax } from '../../../model/classifier/logistic-regression.ts'
import { createVectorizer } from '../../../model/classifier/sparse-rows.ts'
import { decodeLayer, type QuantizedLayer } from '../../../model/classifier/weights.ts'

function parseRecipe(recipe: Json, layer: QuantizedLayer): ClassifierRecipe {
  const parsed = ClassifierRecipe.safeParse(recipe)
  if (!parsed.success) throw MODEL_ERRORS.recipe_failed('classifier recipe is not well formed', { cause: parsed.error })
  if (parsed.data.labels.length !== layer.labels || parsed.data.feature_count !== layer.hashes.length) {
    throw MODEL_ERRORS.recipe_failed('classifier recipe and weights do not belong together')
  }
  return parsed.data
}

/**
 * Makes a classifier ready to run. It answers the most probable label with its calibrated probability, and abstains
 * below the recipe's threshold, or with confidence 0 when it knows no feature of the input at all.
 * Throws `recipe_failed` when recipe and weights are not well formed.
 */
export function classifierRunner(recipe: Json, weights: Uint8Array): Runner {
  const layer = decodeLayer(weights)
  const { labels, features, temperature, threshold } = parseRecipe(recipe, layer)
  const vectorize = createVectorizer(features)
  const rowOf = createIndex(layer.hashes)
  const count = labels.length
  const { scales, bias, bytes } = layer
  return {
    run(input) {
      const { hashes, values } = vectorize(input)
      const scores = new Float64Array(count)
      let known = 0
      for (let i = 0; i < hashes.length; i++) {
        const row = rowOf(hashes[i] ?? 0)
        if (row < 0) continue
        known++
        const value = values[i] ?? 0
        for (let label = 0, at = row * count; label < count; label++, at++) {
          scores[label] = (scores[label] ?? 0) + (bytes[at] ?? 0) * value
        }
      }
      if (known === 0) return { abstained: true, output: null, confidence: 0 }
      for (let label = 0; label < count; label++) {
        scores[label] = (scores[label] ?? 0) * (scales[label] ?? 0) + (bias[label] ?? 0) * BIAS_INPUT
      }
      softmax(scores, temperature)
      let best = 0
      for (let label = 1; label < count; label++) if ((scores[label] ?? 0) > (scores[best] ?? 0)) best = label
      const confidence = scores[best] ?? 0
      const output = labels[best]
      if (confidence < threshold || output === undefined) return { abstained: true, output: null, confidence }
      return { abstained: false, output, confidence }
    },
  }
}
