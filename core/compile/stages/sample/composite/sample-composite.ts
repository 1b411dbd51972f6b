import { DomainError } from '../../../../kernel/errors.ts'
import { describePlace } from '../../../runtime/composite/places.ts'
import { inferShape } from '../../../runtime/composite/shape.ts'
import { isSameOutput } from '../../../rows/equality/same-output.ts'
import { DEFAULT_WORK_BUDGET } from '../../../synthesis/synthesize.ts'
import type { Row } from '../../../rows/task.ts'
import { hashOf, openCandidate, sizeOf } from '../../candidate.ts'
import { startCpuTime } from '../../clock/cpu-time.ts'
import { answerOf } from '../../scoring/evaluate.ts'
import type { FoldAnswer, RecipeData, SampleRecord } from '../../stage-types.ts'
import { checkpointOf, OutOfTime } from './out-of-time.ts'
import type { FoldSamples, KindInput, KindSamples } from '../sample-program.ts'
import { fitComposite, type CompositeOutcome, type FittedComposite } from './fit-composite.ts'
import { shareOf } from './leaf-fit.ts'

const SAMPLE_ID = 'composite-1'

function fitRows(input: KindInput): CompositeOutcome {
  const { request, equality, outputs } = input
  const cpuMs = startCpuTime()
  const none = { fitted: null, searchSteps: 0, trainingSteps: 0 }
  try {
    return fitComposite(input.train, inferShape(outputs), equality, {
      search: {
        task: request.task,
        unlabelled: input.unlabelled.picked,
        k: request.k,
        keepsAlternatives: false,
        cpuMs,
        endsAtMs: request.budgetMs,
        isCancelled: input.isCancelled,
      },
      trainingShare: request.trainingShare ?? 1,
      checkpoint: checkpointOf(input, cpuMs),
      workBudget: request.workBudget ?? DEFAULT_WORK_BUDGET,
    })
  } catch (error) {
    if (error instanceof DomainError) throw error
    if (error instanceof OutOfTime)
      return { ...none, isCutShort: true, reason: 'the fit reached the time limit of a dry run' }
    const message = error instanceof Error ? error.message : String(error)
    return { ...none, isCutShort: false, reason: `fitting failed: ${message}` }
  }
}

function toRecipe({ recipe, weights }: FittedComposite): RecipeData {
  return { kind: 'composite', recipe, leafWeights: weights }
}

/** Answers the rows of a fold by a composite of the train rows. Throws the checkpoint's errors. */
export function answerByComposite(input: KindInput, leftOut: readonly Row[]): FoldSamples {
  input.clock.report('fit leaves without a fold', 5)
  const { fitted, isCutShort, searchSteps, trainingSteps } = fitRows(input)
  const cost = { searchSteps, trainingSteps, failure: null }
  if (fitted === null || isCutShort) {
    const error = isCutShort ? 'out_of_budget' : 'no_candidate'
    const none = { output: null, abstained: false, confidence: 0, error } as const
    return { ...cost, answers: leftOut.map(({ id }) => ({ id, ...none })) }
  }
  const runner = openCandidate(toRecipe(fitted))
  return { ...cost, answers: leftOut.map(({ id, input: given }): FoldAnswer => ({ id, ...answerOf(runner, given) })) }
}

/** Fits a composite to the train rows. Throws the checkpoint's errors. */
export function sampleComposite(input: KindInput): KindSamples {
  input.clock.report('fit leaves', 5)
  const { fitted, reason, isCutShort, searchSteps, trainingSteps } = fitRows(input)
  const cost = { dropped: [], searchSteps, trainingSteps }
  if (fitted === null) return { ...cost, candidates: null, records: [], reason, isCutShort, isEndedByClock: isCutShort }
  const data = toRecipe(fitted)
  return {
    ...cost,
    candidates: {
      kind: 'composite',
      recipes: [{ sampleId: SAMPLE_ID, data }],
      competition: 'inner_cross_validation',
      folds: null,
      innerEvidence: null,
      innerPredictions: [],
    },
    records: [toRecord(fitted, data, input, { searchSteps, trainingSteps })],
    reason: null,
    isCutShort: false,
    isEndedByClock: isCutShort,
  }
}

function toRecord(
  { leaves }: FittedComposite,
  data: RecipeData,
  input: KindInput,
  { searchSteps, trainingSteps }: Pick<CompositeOutcome, 'searchSteps' | 'trainingSteps'>,
): SampleRecord {
  const runner = openCandidate(data)
  const answers = (given: Row['input'], output: Row['output']): boolean => {
    const answer = answerOf(runner, given)
    return answer.error === null && !answer.abstained && isSameOutput(input.equality, answer.output, output)
  }
  const misses = leaves.reduce((sum, leaf) => sum + (leaf.evidence.rows === 0 ? 0 : 1 - shareOf(leaf)), 0)
  return {
    id: SAMPLE_ID,
    provider: 'trainer',
    kind: 'composite',
    rank: 1,
    cost: Number(misses.toFixed(6)),
    search_steps: searchSteps,
    training_steps: trainingSteps,
    size_bytes: sizeOf(data),
    recipe_hash: hashOf(data),
    settings: {
      leaves: leaves.map(({ place, leaf, evidence }) => ({
        leaf: describePlace(place),
        kind: leaf.kind,
        held_back_rows: evidence.rows,
        held_back_right: evidence.right,
      })),
    },
    verdict: {
      fitted_rows: input.train.length,
      fitted_right: input.train.filter((row) => answers(row.input, row.output)).length,
      held_back_rows: null,
      held_back_right: null,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: input.negatives.filter((one) => answers(one.input, one.notOutput)).length,
      chosen: 'winner',
    },
  }
}
