import type { Json } from '../../../kernel/json/json.ts'
import { MODEL_ERRORS } from '../../errors.ts'
import { roundTo, sigmoid, softmax } from '../exact-math.ts'
import { createFeatureReader } from '../features/feature-reader.ts'
import { decodeArrays, type TabularArrays } from './arrays.ts'
import { scoreFeatures } from './scores.ts'
import { countFeatures, countScores, TabularRecipe, type Target } from './tabular-recipe.ts'

/** The answer of a tabular model. */
export interface TabularAnswer {
  readonly output: Json
  /** Calibrated probability of a label or of a list of labels; for a number the share that its interval covers. */
  readonly confidence: number
  /** Lower and upper end of the interval of a number. */
  readonly interval?: readonly [number, number]
  readonly abstained: boolean
}

/** A tabular model made ready to run. */
export interface TabularModel {
  readonly recipe: TabularRecipe
  readonly arrays: TabularArrays
  /** Answers one input. Throws `recipe_failed` when a score is not finite. */
  answer(input: Json): TabularAnswer
}

/** Checks a recipe and its weights and makes them ready to run. Throws `recipe_failed` when they are not well formed. */
export function openTabular(recipe: Json, weights: Uint8Array): TabularModel {
  const parsed = TabularRecipe.safeParse(recipe)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? '' : ` at ${issue.path.join('.')}`
    const message = `tabular recipe is not well formed${where}: ${issue?.message ?? 'unknown'}`
    throw MODEL_ERRORS.recipe_failed(message, { cause: parsed.error })
  }
  const { columns, target } = parsed.data
  const arrays = decodeArrays(weights)
  const features = columns.reduce((sum, column) => sum + countFeatures(column), 0)
  if (features !== arrays.features || countScores(target) !== arrays.scores)
    throw MODEL_ERRORS.recipe_failed('tabular recipe and weights do not belong together')
  const reader = createFeatureReader(columns)
  const row = new Float64Array(features)
  const scores = new Float64Array(arrays.scores)
  return {
    recipe: parsed.data,
    arrays,
    answer(input) {
      reader.read(input, row, 0)
      scoreFeatures(arrays, row, 0, scores)
      if (!scores.every((score) => Number.isFinite(score)))
        throw MODEL_ERRORS.recipe_failed('a score of the tabular model is not finite for this input')
      return toAnswer(target, scores)
    },
  }
}

/** Turns scores into the answer of a target; changes the scores. */
export function toAnswer(target: Target, scores: Float64Array): TabularAnswer {
  if (target.kind === 'number') return numberAnswer(target, scores[0] ?? 0)
  const chosen = target.kind === 'label' ? chooseLabel(target.labels, scores) : chooseLabels(target, scores)
  const abstained = chosen.confidence < target.threshold
  return { output: abstained ? null : chosen.output, confidence: chosen.confidence, abstained }
}

function numberAnswer({ decimals, interval }: Extract<Target, { kind: 'number' }>, score: number): TabularAnswer {
  const output = decimals === null ? score : roundTo(score, decimals)
  if (interval === null) return { output, confidence: 0, abstained: false }
  const { coverage, half_width: half } = interval
  return { output, confidence: coverage, interval: [output - half, output + half], abstained: false }
}

interface Choice {
  readonly output: Json
  readonly confidence: number
}

function chooseLabel(labels: readonly Json[], scores: Float64Array): Choice {
  if (labels.length === 2) {
    const second = sigmoid(scores[0] ?? 0)
    return { output: labels[second > 0.5 ? 1 : 0] ?? null, confidence: Math.max(second, 1 - second) }
  }
  softmax(scores)
  let best = 0
  for (let k = 1; k < scores.length; k++) if ((scores[k] ?? 0) > (scores[best] ?? 0)) best = k
  return { output: labels[best] ?? null, confidence: scores[best] ?? 0 }
}

function chooseLabels({ labels, thresholds }: Extract<Target, { kind: 'labels' }>, scores: Float64Array): Choice {
  const output: Json[] = []
  let confidence = 1
  for (const [k, label] of labels.entries()) {
    const probability = sigmoid(scores[k] ?? 0)
    const isIn = probability >= (thresholds[k] ?? 1)
    if (isIn) output.push(label)
    confidence *= isIn ? probability : 1 - probability
  }
  return { output, confidence }
}
