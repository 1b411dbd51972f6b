import type { Splits } from '../../rows/split/split-rows.ts'
import { taskEquality } from '../../rows/equality/task-equality.ts'
import { startClock } from '../clock/stage-clock.ts'
import type { FoldAnswer, KindCandidates, SampleInput, SampleOutput, StageHooks } from '../stage-types.ts'
import { DEFAULT_WORK_BUDGET } from '../../synthesis/synthesize.ts'
import { planTeaching } from '../teacher/plan-questions.ts'
import type { KindSamples } from './sample-program.ts'
import { needsComposite } from './composite/needs-composite.ts'
import {
  foldParts,
  requestedSamples,
  SAMPLED_KINDS,
  samplePart,
  splitSample,
  type PartOutput,
  unlabelledOf,
} from './sample-part.ts'

/** Reasons that are kept of candidates which were dropped. */
const MAX_DROPPED = 20

/** Results of all parts of `k-sample`. */
export interface JoinInput {
  readonly input: SampleInput
  readonly splits: Splits
  /** In any order; parts of kinds without a candidate may be there or not. */
  readonly parts: readonly PartOutput[]
  /** Wall-clock milliseconds of the stage. */
  readonly wallMs: number
}

/** One kind with the answers of its folds. */
function joinKind(kind: KindCandidates['kind'], { input, splits, parts }: JoinInput): KindSamples {
  const own = parts.filter(({ part }) => part.kind === kind)
  const whole = own.find(({ part }) => part.fold === null)?.whole
  if (whole === undefined || whole === null) throw new Error(`the ${kind} was not fitted on all rows`)
  const places = splits.split.folds
  if (whole.candidates === null || places === undefined) return whole
  const folds = places.map((_, number) => {
    const found = own.find(({ part }) => part.fold === number)?.fold
    if (found === undefined || found === null) throw new Error(`fold ${number} of the ${kind} was not answered`)
    return found
  })
  const searchSteps = folds.reduce((sum, fold) => sum + fold.searchSteps, whole.searchSteps)
  const trainingSteps = folds.reduce((sum, fold) => sum + fold.trainingSteps, whole.trainingSteps)
  const failure = folds.find((fold) => fold.failure !== null)?.failure ?? null
  const rest = { ...whole, searchSteps, trainingSteps }
  if (failure !== null) return { ...rest, candidates: null, records: [], reason: failure }
  const answers = new Map(folds.flatMap((fold) => fold.answers.map((answer) => [answer.id, answer])))
  const inRowOrder = input.rows.flatMap(({ id }): FoldAnswer[] => {
    const answer = answers.get(id)
    return answer === undefined ? [] : [answer]
  })
  return { ...rest, candidates: { ...whole.candidates, folds: inRowOrder } }
}

function posteriorOf(kinds: readonly KindSamples[]): Pick<SampleOutput, 'posterior'> {
  const posterior = kinds.find((kind) => kind.posterior !== undefined)?.posterior
  return posterior === undefined ? {} : { posterior }
}

/** Joins the parts of `k-sample` into its result: the same for the same parts, in whatever order they ran. */
export function joinSample(join: JoinInput): SampleOutput {
  const { input, splits, parts, wallMs } = join
  const { split, apart } = splits
  const composite = parts.some(({ part }) => part.kind === 'composite') ? (['composite'] as const) : []
  const joined = [...SAMPLED_KINDS, ...composite].map((kind) => ({ kind, ...joinKind(kind, join) }))
  const equality = taskEquality(input.rows, split, input.tolerances)
  const samples = joined.flatMap(({ records }) => records)
  const kinds = joined.flatMap(({ candidates }) => candidates ?? [])
  const teaching = planTeaching({ ...input, split, apart, equality, samples, kinds })
  return {
    spec: 'svc-sample-2',
    split,
    equality,
    apart,
    samples,
    kinds,
    ...teaching,
    teacherRows: [],
    notApplicable: joined.flatMap(({ kind, reason }) => (reason === null ? [] : [{ kind, reason }])),
    dropped: joined.flatMap(({ dropped }) => dropped).slice(0, MAX_DROPPED),
    ...posteriorOf(joined),
    cutShort: joined.flatMap(({ kind, isCutShort }) => (isCutShort ? [kind] : [])),
    unlabelled: unlabelledOf(input).all,
    sampling: {
      spec: 'svc-sampling-1',
      k: requestedSamples(input),
      work_budget: input.workBudget ?? DEFAULT_WORK_BUDGET,
      ended_by_clock: joined.flatMap(({ kind, isEndedByClock }) => (isEndedByClock ? [kind] : [])),
    },
    cost: {
      stage: 'k-sample',
      status: 'done',
      reason: null,
      wall_ms: Math.round(wallMs),
      cpu_ms: Math.round(parts.reduce((sum, { cpuMs }) => sum + cpuMs, 0)),
      search_steps: joined.reduce((sum, { searchSteps }) => sum + searchSteps, 0),
      training_steps: joined.reduce((sum, { trainingSteps }) => sum + trainingSteps, 0),
      provider_tokens: 0,
      cost_usd: 0,
    },
  }
}

/**
 * Runs the stage `k-sample` in one thread. It splits the rows, searches programs, trains classifiers and tabular models
 * on all rows, and fits a composite where no program does the whole task. Then it answers each fold by candidates that
 * were made without it. A worker runs the parts in several threads, with the same result. Deterministic for the same rows
 * unless the time runs out before the work budget. Throws `no_examples`, `train_holdout_leakage`, and `compile_cancelled`
 * when the caller cancels.
 */
export function sampleCandidates(input: SampleInput, hooks: StageHooks = {}): SampleOutput {
  const clock = startClock('k-sample', hooks)
  const splits = splitSample(input)
  const parts: PartOutput[] = []
  const { split } = splits
  const bounded = (): SampleInput => {
    const left = input.allSearchesMs === undefined ? Infinity : input.allSearchesMs - clock.cpuMs()
    return { ...input, budgetMs: Math.min(input.budgetMs, left) }
  }
  const kinds = [...SAMPLED_KINDS, 'composite'] as const
  const width = 1 / kinds.length
  for (const [place, kind] of kinds.entries()) {
    if (kind === 'composite' && !needsComposite(input, split, parts)) continue
    const progressOf = (share: number, from: number): StageHooks => ({
      ...hooks,
      onProgress: (progress) => {
        const done = Math.round((100 * place + from + progress.done * share) * width)
        hooks.onProgress?.({ ...progress, done, total: 100 })
      },
    })
    // The search over all rows has its budget whatever comes after it; later kinds have what it left.
    const own = kind === 'program' ? input : bounded()
    const whole = samplePart({ input: own, split, part: { kind, fold: null } }, progressOf(0.3, 0))
    parts.push(whole)
    const folds = foldParts(split, whole)
    for (const [number, part] of folds.entries()) {
      const share = 0.7 / folds.length
      parts.push(samplePart({ input: bounded(), split, part }, progressOf(share, 30 + 100 * share * number)))
    }
  }
  const output = joinSample({ input, splits, parts, wallMs: clock.wallMs() })
  clock.report('done', 100)
  return output
}
