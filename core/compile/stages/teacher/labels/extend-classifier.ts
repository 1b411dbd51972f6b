import { detectLabelTask } from '../../../../model/classifier/label-task.ts'
import { trainClassifier, type TrainedClassifier } from '../../../../model/classifier/train-classifier.ts'
import { canonicalJson } from '../../../../kernel/json/json.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import { answerOf } from '../../scoring/evaluate.ts'
import { chooseAbstention } from '../../verifier/abstention.ts'
import { hashOf, openCandidate, sizeOf } from '../../candidate.ts'
import type { Split } from '../../../rows/split/split-report.ts'
import type { KindInput } from '../../sample/sample-program.ts'
import { holdRowsBack } from '../../sample/searched-rows.ts'
import type { KindCandidates, RecipeData, SampleRecord } from '../../stage-types.ts'
import type { Row } from '../../../rows/task.ts'
import type { TeacherRow } from '../teacher-types.ts'

/** A classifier that was trained on a teacher's labels as well. */
export interface ExtendedClassifier {
  readonly kind: KindCandidates
  readonly record: SampleRecord
}

/** Results of training with and without a teacher's labels. */
export interface Extension {
  /** Null when the labels do not help, or the outputs are no labels. */
  readonly extended: ExtendedClassifier | null
  readonly trainingSteps: number
}

const SAMPLE_ID = 'classifier-with-labels'

type Judged = readonly { readonly confidence: number; readonly correct: boolean }[]

function judgeOn(trained: TrainedClassifier | null, rows: readonly Row[], input: KindInput): Judged {
  if (trained === null) return rows.map(() => ({ confidence: 0, correct: false }))
  const runner = openCandidate({ kind: 'classifier', recipe: { ...trained.recipe }, weights: trained.weights })
  return rows.map((row) => {
    const { output, confidence, error } = answerOf(runner, row.input)
    return { confidence, correct: error === null && isSameOutput(input.equality, output, row.output) }
  })
}

function countCorrect(judged: Judged): number {
  return judged.filter(({ correct }) => correct).length
}

/**
 * Trains a classifier on the train rows and a teacher's labels, when that does no worse than training without them on
 * train rows that neither saw: the given answers are the truth, a teacher's are opinions. Where the classifier without
 * them was cross-fitted, it must do better: it learns from all rows, and is scored on all.
 */
export function extendClassifier(
  input: KindInput,
  labelled: readonly TeacherRow[],
  present: KindCandidates | null,
  mode: Split['mode'],
): Extension {
  const { train } = input
  const taught: readonly Row[] = labelled.map(({ id, input: given, output }) => ({ id, input: given, output }))
  const none: Extension = { extended: null, trainingSteps: 0 }
  if (taught.length === 0 || mode === 'leave_one_out') return none
  if (!detectLabelTask([...train, ...taught].map(({ output }) => output)).applicable) return none
  const options = { contenders: input.request.k, checkpoint: () => input.clock.checkpoint() }
  let trainingSteps = 0
  const fitOn = (rows: readonly Row[]): TrainedClassifier | null => {
    const trained = trainClassifier(rows, options)
    trainingSteps += trained?.trainingSteps ?? 0
    return trained
  }
  const { fit, heldBack } = holdRowsBack(train)
  const judged = judgeOn(fitOn([...fit, ...taught]), heldBack, input)
  const gain = countCorrect(judged) - countCorrect(judgeOn(fitOn(fit), heldBack, input))
  if (gain < (mode === 'cross_fit' && present !== null ? 1 : 0)) return { extended: null, trainingSteps }
  const trained = fitOn([...train, ...taught])
  if (trained === null) return { extended: null, trainingSteps }
  const { threshold } = chooseAbstention(judged)
  const data: RecipeData = { kind: 'classifier', recipe: { ...trained.recipe, threshold }, weights: trained.weights }
  return {
    extended: {
      kind: {
        kind: 'classifier',
        recipes: [{ sampleId: SAMPLE_ID, data }, ...(present?.recipes ?? [])],
        competition: 'held_back_rows',
        folds: null,
        innerEvidence: { rows: judged.length, right: countCorrect(judged) },
        innerPredictions: judged,
      },
      record: recordOf(data, trained, judged, taught, input),
    },
    trainingSteps,
  }
}

function recordOf(
  data: RecipeData,
  trained: TrainedClassifier,
  judged: Judged,
  taught: readonly Row[],
  input: KindInput,
): SampleRecord {
  const fitted = [...input.train, ...taught]
  const runner = openCandidate(data)
  return {
    id: SAMPLE_ID,
    provider: 'trainer',
    kind: 'classifier',
    rank: 1,
    cost: Number((trained.contenders.find(({ chosen }) => chosen)?.logLoss ?? 0).toFixed(6)),
    search_steps: 0,
    training_steps: trained.trainingSteps,
    size_bytes: sizeOf(data),
    recipe_hash: hashOf(data),
    settings: {
      teacher_rows: taught.length,
      teacher_labels: new Set(taught.map(({ output }) => canonicalJson(output))).size,
    },
    verdict: {
      fitted_rows: fitted.length,
      fitted_right: countCorrect(judgeOn(trained, fitted, input)),
      held_back_rows: judged.length,
      held_back_right: countCorrect(judged),
      verified_rows: null,
      verified_passed: null,
      negatives_violated: input.negatives.filter(({ input: given, notOutput }) => {
        const { output, error } = answerOf(runner, given)
        return error === null && isSameOutput(input.equality, output, notOutput)
      }).length,
      negatives: input.negatives.length,
      chosen: 'winner',
    },
  }
}
