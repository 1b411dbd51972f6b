import type { Json } from '../../../../../kernel/json/json.ts'
import type { FeatureReader } from '../../../../../model/tabular/features/feature-reader.ts'
import type { TabularArrays } from '../../../../../model/tabular/recipe/arrays.ts'
import { toAnswer } from '../../../../../model/tabular/recipe/open-tabular.ts'
import { scoreFeatures } from '../../../../../model/tabular/recipe/scores.ts'
import type { Target } from '../../../../../model/tabular/recipe/tabular-recipe.ts'
import { NoAnswer } from './answers.ts'

/** The answer to one input. Throws `NoAnswer` where the model abstains or a score is out of range. */
export function answerOf(arrays: TabularArrays, reader: FeatureReader, target: Target, input: Json): Json {
  const features = new Float64Array(reader.features)
  const scores = new Float64Array(arrays.scores)
  reader.read(input, features, 0)
  scoreFeatures(arrays, features, 0, scores)
  if (!scores.every((score) => Number.isFinite(score))) throw new NoAnswer('out_of_range')
  const { output, abstained } = toAnswer(target, scores)
  if (abstained) throw new NoAnswer('in_doubt')
  return output
}
