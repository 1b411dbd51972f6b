import { DomainError } from '../../../kernel/errors.ts'
import type { JsonObject } from '../../../kernel/json/json.ts'
import { detectLabelTask } from '../../../model/classifier/label-task.ts'
import { classifierRunner } from '../../runtime/runners/classifier-runner.ts'
import {
  trainClassifier,
  type TrainedClassifier,
  type TrainingOptions,
} from '../../../model/classifier/train-classifier.ts'
import { answerOf } from '../scoring/evaluate.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { Row } from '../../rows/task.ts'
import { chooseAbstention } from '../verifier/abstention.ts'
import { hashOf, openCandidate, sizeOf } from '../candidate.ts'
import type { FoldSamples, KindInput, KindSamples } from './sample-program.ts'
import type { FoldAnswer, RecipeData, SampleRecord } from '../stage-types.ts'

function toRecipe(trained: TrainedClassifier): RecipeData & { kind: 'classifier' } {
  const { threshold } = chooseAbstention(trained.innerPredictions)
  return { kind: 'classifier', recipe: { ...trained.recipe, threshold }, weights: trained.weights }
}

function settingsOf({ features, inverseStrength }: TrainedClassifier['contenders'][number]): JsonObject {
  return {
    word_grams: features.wordGrams,
    char_grams: [...features.charGrams],
    inverse_strength: inverseStrength,
  }
}

/** The records of all contenders; only the winner was fitted on all rows and has a recipe. */
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
      fitted_rows: contender.chosen ? input.train.length : null,
      fitted_right: contender.chosen ? right : null,
      held_back_rows: contender.rows,
      held_back_right: contender.right,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: contender.chosen ? violated : null,
      negatives: contender.chosen ? input.negatives.length : null,
      chosen: contender.chosen ? 'winner' : 'beaten',
    },
  }))
}

/** Answers rows by a classifier that was trained on others; steps of training beside them. */
export function answerByTraining(
  others: readonly Row[],
  leftOut: readonly Row[],
  options: TrainingOptions,
): { readonly answers: readonly FoldAnswer[]; readonly steps: number } {
  const trained = trainClassifier(others, options)
  if (trained === null) {
    const none = { output: null, abstained: false, confidence: 0, error: 'no_candidate' } as const
    return { answers: leftOut.map(({ id }) => ({ id, ...none })), steps: 0 }
  }
  const { recipe, weights } = toRecipe(trained)
  const runner = classifierRunner(recipe, weights)
  return {
    answers: leftOut.map(({ id, input }) => ({ id, ...answerOf(runner, input) })),
    steps: trained.trainingSteps,
  }
}

/** Answers the rows of a fold by a classifier of the train rows. Throws the checkpoint's errors. */
export function answerByClassifier(input: KindInput, leftOut: readonly Row[]): FoldSamples {
  const { train, clock, request } = input
  clock.report('train a classifier without a fold', 5)
  try {
    const { answers, steps } = answerByTraining(train, leftOut, {
      contenders: request.k,
      share: request.trainingShare ?? 1,
      checkpoint: () => clock.checkpoint(),
    })
    return { answers, searchSteps: 0, trainingSteps: steps, failure: null }
  } catch (error) {
    if (error instanceof DomainError) throw error
    return { answers: [], searchSteps: 0, trainingSteps: 0, failure: describeFailure(error) }
  }
}

function describeFailure(error: unknown): string {
  return `training failed: ${error instanceof Error ? error.message : String(error)}`
}

const NONE = {
  candidates: null,
  records: [],
  isCutShort: false,
  isEndedByClock: false,
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
    return { ...NONE, reason: describeFailure(error) }
  }
}

function trainKind(input: KindInput): KindSamples {
  const { train, clock, request } = input
  const none = NONE
  const share = request.trainingShare ?? 1
  const checkpoint = (): void => clock.checkpoint()
  const task = detectLabelTask(train.map(({ output }) => output))
  if (!task.applicable) return { ...none, reason: `not a label task: ${task.reason}` }
  clock.report('train classifier', 5)
  const trained = trainClassifier(train, {
    contenders: request.k,
    share,
    checkpoint,
    onStep: (done, total) => clock.report('train classifier', 5 + (90 * done) / total),
  })
  if (trained === null) return { ...none, reason: 'not a label task' }
  const data = toRecipe(trained)
  return {
    candidates: {
      kind: 'classifier',
      recipes: [{ sampleId: 'classifier-1', data }],
      competition: 'inner_cross_validation',
      folds: null,
      innerEvidence: {
        rows: trained.innerPredictions.length,
        right: trained.innerPredictions.filter(({ correct }) => correct).length,
      },
      innerPredictions: trained.innerPredictions,
    },
    records: toRecords(trained, data, input),
    reason: null,
    isCutShort: false,
    isEndedByClock: false,
    dropped: [],
    searchSteps: 0,
    trainingSteps: trained.trainingSteps,
  }
}
