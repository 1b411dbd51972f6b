import { DomainError } from '../../../kernel/errors.ts'
import { detectTable } from '../../../model/tabular/fit/detect-table.ts'
import { fitTable } from '../../../model/tabular/fit/fit-table.ts'
import type { FittedTabular } from '../../../model/tabular/fit/fit-tabular.ts'
import type { Json } from '../../../kernel/json/json.ts'
import { isSameOutput } from '../../rows/equality/same-output.ts'
import type { Row } from '../../rows/task.ts'
import { hashOf, openCandidate, sizeOf } from '../candidate.ts'
import { answerOf } from '../scoring/evaluate.ts'
import type { FoldAnswer, RecipeData, SampleRecord } from '../stage-types.ts'
import { chooseAbstention } from '../verifier/abstention.ts'
import { checkpointOf, OutOfTime } from './composite/out-of-time.ts'
import type { FoldSamples, KindInput, KindSamples } from './sample-program.ts'

const SAMPLE_ID = 'tabular-1'
/** Share of the learners' usual bounds of work that a fit of a compile uses: each fold is fitted too. */
const WORK_SHARE = 0.2
/** The same rows give the same model. */
const SEED = 0

/** A fitted model as data that a compile keeps. */
interface Fit {
  readonly fitted: FittedTabular
  readonly data: RecipeData
}

/** A fit without a model, and why. */
interface NoModel {
  readonly reason: string
  /** True when a dry run left it no time. */
  readonly isCutShort: boolean
}

function fitRows(rows: readonly Row[], input: KindInput): Fit | NoModel {
  const task = detectTable(rows)
  if (!task.applicable) return { reason: `not a table: ${task.reason}`, isCutShort: false }
  const share = WORK_SHARE * (input.request.trainingShare ?? 1)
  try {
    const isSame = (output: Json, expected: Json): boolean => isSameOutput(input.equality, output, expected)
    const fitted = fitTable(rows, task.targets, { seed: SEED, share, checkpoint: checkpointOf(input), isSame })
    if ('reason' in fitted) return { reason: `not a table: ${fitted.reason}`, isCutShort: false }
    return { fitted, data: toRecipe(fitted) }
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error
    return { reason: 'the fit reached the time limit of a dry run', isCutShort: true }
  }
}

function toRecipe({ recipe, weights, heldBack }: FittedTabular): RecipeData {
  const { target } = recipe
  const { threshold } = chooseAbstention(heldBack)
  const settled = target.kind === 'number' ? target : { ...target, threshold }
  return { kind: 'tabular', recipe: { ...recipe, target: settled }, weights }
}

/** Answers the rows of a fold by a model of the train rows. Throws the checkpoint's errors. */
export function answerByTabular(input: KindInput, leftOut: readonly Row[]): FoldSamples {
  input.clock.report('fit a tabular model without a fold', 5)
  try {
    const fit = fitRows(input.train, input)
    if ('reason' in fit) return { answers: noAnswers(leftOut, fit), searchSteps: 0, trainingSteps: 0, failure: null }
    const runner = openCandidate(fit.data)
    const answers = leftOut.map(({ id, input: given }) => ({ id, ...answerOf(runner, given) }))
    return { answers, searchSteps: 0, trainingSteps: fit.fitted.steps, failure: null }
  } catch (error) {
    if (error instanceof DomainError) throw error
    return { answers: [], searchSteps: 0, trainingSteps: 0, failure: describeFailure(error) }
  }
}

function noAnswers(rows: readonly Row[], { isCutShort }: NoModel): readonly FoldAnswer[] {
  const error = isCutShort ? 'out_of_budget' : 'no_candidate'
  return rows.map(({ id }) => ({ id, output: null, abstained: false, confidence: 0, error }))
}

function describeFailure(error: unknown): string {
  return `fitting failed: ${error instanceof Error ? error.message : String(error)}`
}

const NONE = {
  candidates: null,
  records: [],
  isEndedByClock: false,
  dropped: [],
  searchSteps: 0,
  trainingSteps: 0,
} as const

/**
 * Fits a tabular model when the train rows are a table. A failed fit, for lack of memory for example, leaves the kind
 * without a candidate; the other kinds continue. Throws the checkpoint's errors.
 */
export function sampleTabular(input: KindInput): KindSamples {
  input.clock.report('fit tabular model', 5)
  try {
    const fit = fitRows(input.train, input)
    return 'reason' in fit ? { ...NONE, ...fit } : toSamples(fit, input)
  } catch (error) {
    if (error instanceof DomainError) throw error
    return { ...NONE, reason: describeFailure(error), isCutShort: false }
  }
}

function toSamples({ fitted, data }: Fit, input: KindInput): KindSamples {
  const { heldBack } = fitted
  const innerEvidence = { rows: heldBack.length, right: heldBack.filter(({ correct }) => correct).length }
  return {
    candidates: {
      kind: 'tabular',
      recipes: [{ sampleId: SAMPLE_ID, data }],
      competition: 'inner_cross_validation',
      folds: null,
      innerEvidence,
      innerPredictions: heldBack.map(({ confidence, correct }) => ({ confidence, correct })),
    },
    records: [toRecord(fitted, data, input)],
    reason: null,
    isCutShort: false,
    isEndedByClock: false,
    dropped: [],
    searchSteps: 0,
    trainingSteps: fitted.steps,
  }
}

function toRecord(fitted: FittedTabular, data: RecipeData, input: KindInput): SampleRecord {
  const runner = openCandidate(data)
  const answers = (given: Row['input'], output: Row['output']): boolean => {
    const answer = answerOf(runner, given)
    return answer.error === null && !answer.abstained && isSameOutput(input.equality, answer.output, output)
  }
  return {
    id: SAMPLE_ID,
    provider: 'trainer',
    kind: 'tabular',
    rank: 1,
    cost: Number(fitted.loss.toFixed(6)),
    search_steps: 0,
    training_steps: fitted.steps,
    size_bytes: sizeOf(data),
    recipe_hash: hashOf(data),
    settings: { linear_share: fitted.linearShare, penalty: fitted.penalty, rounds: fitted.rounds },
    verdict: {
      fitted_rows: input.train.length,
      fitted_right: input.train.filter((row) => answers(row.input, row.output)).length,
      held_back_rows: fitted.heldBack.length,
      held_back_right: fitted.heldBack.filter(({ correct }) => correct).length,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: input.negatives.filter((one) => answers(one.input, one.notOutput)).length,
      negatives: input.negatives.length,
      chosen: 'winner',
    },
  }
}
