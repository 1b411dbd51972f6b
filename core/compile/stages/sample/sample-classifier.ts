import { DomainError } from '../../../kernel/errors.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { classifierRunner } from '../../runtime/classifier-runner.ts'
import {
  trainClassifier,
  type TrainedClassifier,
  type TrainingOptions,
} from '../../../model/classifier/train-classifier.ts'
import { answerOf } from '../scoring/evaluate.ts'
import { isSameOutput } from '../../equality/same-output.ts'
import type { Row } from '../../task.ts'
import { chooseAbstention } from '../verifier/abstention.ts'
import { hashOf, openCandidate, sizeOf } from '../candidate.ts'
import type { KindInput, KindSamples } from './sample-program.ts'
import type { FoldAnswer, RecipeData, SampleRecord } from '../stage-types.ts'

function toRecipe(trained: TrainedClassifier): RecipeData & { kind: 'classifier' } {
  const { threshold } = chooseAbstention(trained.innerPredictions)
  return { kind: 'classifier', recipe: { ...trained.recipe, threshold }, weights: trained.weights }
}

function settingsOf({ features }: TrainedClassifier['contenders'][number]): JsonObject {
  return { word_grams: features.wordGrams, char_grams: [...features.charGrams] }
}

/** The records of all contenders; only the winner was fitted on all rows and has a recipe of its own. */
function toRecords(trained: TrainedClassifier, data: RecipeData, input: KindInput): readonly SampleRecord[] {
  const runner = openCandidate(data)
  const right = input.train.filter((row) =>
    isSameOutput(input.equality, answerOf(runner, row.input).output, row.output),
  ).length
  const violated = input.negatives.filter(({ input: given, notOutput }) =>
    isSameOutput(input.equality, answerOf(runner, given).output, notOutput),
  ).length
  const ordered = trained.contenders.toSorted(
    (a, b) => Number(b.chosen) - Number(a.chosen) || b.right - a.right || a.logLoss - b.logLoss,
  )
  return ordered.map((contender, i) => ({
    id: `classifier-${i + 1}`,
    provider: 'trainer',
    kind: 'classifier',
    rank: i + 1,
    cost: Number(contender.logLoss.toFixed(6)),
    search_steps: 0,
    training_steps: contender.trainingSteps,
    size_bytes: contender.chosen ? sizeOf(data) : null,
    recipe_hash: contender.chosen ? hashOf(data) : null,
    settings: settingsOf(contender),
    verdict: {
      fitted_rows: contender.chosen ? input.train.length : 0,
      fitted_right: contender.chosen ? right : 0,
      held_back_rows: contender.rows,
      held_back_right: contender.right,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: contender.chosen ? violated : 0,
      chosen: contender.chosen ? 'winner' : 'beaten',
    },
  }))
}

export function answerFold(
  others: readonly Row[],
  leftOut: Row,
  options: TrainingOptions,
): FoldAnswer & { readonly steps: number } {
  const trained = trainClassifier(others, options)
  if (trained === null) {
    return { id: leftOut.id, output: null, abstained: false, confidence: 0, error: 'no_candidate', steps: 0 }
  }
  const { recipe, weights } = toRecipe(trained)
  const answer = answerOf(classifierRunner(recipe, weights), leftOut.input)
  return { id: leftOut.id, ...answer, steps: trained.trainingSteps }
}

const NONE = {
  candidates: null,
  records: [],
  isCutShort: false,
  dropped: [],
  searchSteps: 0,
  trainingSteps: 0,
} as const

/**
 * Trains classifiers when the outputs of the train rows are labels. A failed training, for lack of memory say, leaves
 * the kind without a candidate; the other kinds continue. Throws the checkpoint's errors.
 */
export function sampleClassifiers(input: KindInput): KindSamples {
  try {
    return trainKind(input)
  } catch (error) {
    if (error instanceof DomainError) throw error
    return { ...NONE, reason: `training failed: ${error instanceof Error ? error.message : String(error)}` }
  }
}

function trainKind(input: KindInput): KindSamples {
  const { train, clock, request } = input
  const none = NONE
  const share = request.trainingShare ?? 1
  const checkpoint = (): void => clock.checkpoint()
  const task = detectLabelTask(train.map(({ output }) => output))
  if (!task.applicable) return { ...none, reason: `not a label task: ${task.reason}` }
  clock.report('train classifier', 55)
  const trained = trainClassifier(train, {
    contenders: request.k,
    share,
    checkpoint,
    onStep: (done, total) => clock.report('train classifier', 55 + (25 * done) / total),
  })
  if (trained === null) return { ...none, reason: 'not a label task' }
  const data = toRecipe(trained)
  let trainingSteps = trained.trainingSteps
  const folds = input.leaveOneOut
    ? train.map((leftOut, i) => {
        const others = train.filter((row) => row !== leftOut)
        const { steps, ...answer } = answerFold(others, leftOut, {
          contenders: request.k,
          share,
          checkpoint,
        })
        trainingSteps += steps
        clock.report('leave-one-out classifiers', 80 + (15 * (i + 1)) / train.length)
        return answer
      })
    : null
  return {
    candidates: {
      kind: 'classifier',
      recipes: [{ sampleId: 'classifier-1', data }],
      competition: 'inner_cross_validation',
      folds,
      innerEvidence: {
        rows: trained.innerPredictions.length,
        right: trained.innerPredictions.filter(({ correct }) => correct).length,
      },
      innerPredictions: trained.innerPredictions,
    },
    records: toRecords(trained, data, input),
    reason: null,
    isCutShort: false,
    dropped: [],
    searchSteps: 0,
    trainingSteps,
  }
}
