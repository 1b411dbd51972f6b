import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Equality } from '../../equality/equality.ts'
import { DEFAULT_WORK_BUDGET } from '../../synthesis/synthesize.ts'
import type { Row } from '../../task.ts'
import { hashOf, sizeOf } from '../candidate.ts'
import { startCpuTime } from '../cpu-time.ts'
import { negativesApartFrom } from '../negatives-apart.ts'
import { isUsable, type JudgedProgram, type ProgramSearch } from './judge-round.ts'
import { answerLeftOut, searchPrograms } from './search-programs.ts'
import type { StageClock } from '../stage-clock.ts'
import type { FoldAnswer, KindCandidates, RecipeData, SampleInput, SampleRecord } from '../stage-types.ts'

/** Result of sampling one kind. */
export interface KindSamples {
  readonly candidates: KindCandidates | null
  readonly records: readonly SampleRecord[]
  readonly reason: string | null
  /** True when the clock ended the sampling before there was a candidate. */
  readonly isCutShort: boolean
  /** Reasons for which the language refused dropped candidates. */
  readonly dropped: readonly string[]
  readonly searchSteps: number
  readonly trainingSteps: number
}

/** Input of sampling each kind: no held-out rows. */
export interface KindInput {
  readonly train: readonly Row[]
  readonly leaveOneOut: boolean
  readonly negatives: readonly NegativeExample[]
  readonly equality: Equality
  readonly request: Pick<SampleInput, 'task' | 'k' | 'budgetMs' | 'workBudget' | 'allSearchesMs' | 'trainingShare'>
  readonly clock: StageClock
  readonly isCancelled: () => boolean
}

function toRecord(program: JudgedProgram, rank: number, isWinner: boolean): SampleRecord {
  const data: RecipeData = { kind: 'program', recipe: program.recipe }
  const usable = isUsable(program)
  return {
    id: `program-${rank}`,
    provider: 'synthesizer',
    kind: 'program',
    rank,
    cost: program.cost,
    search_steps: program.searchSteps,
    training_steps: 0,
    size_bytes: sizeOf(data),
    recipe_hash: hashOf(data),
    settings: {},
    verdict: {
      fitted_rows: program.fittedRows,
      fitted_right: program.fittedRight,
      held_back_rows: program.heldBack?.rows ?? null,
      held_back_right: program.heldBack?.right ?? null,
      verified_rows: null,
      verified_passed: null,
      negatives_violated: program.negativesViolated,
      chosen: usable ? (isWinner ? 'winner' : 'beaten') : 'refused',
    },
  }
}

/** Answers every row by a search over the others, with the budget of the search over all rows. */
function answerFolds(input: KindInput, search: ProgramSearch): { folds: readonly FoldAnswer[]; steps: number } {
  const { train, clock, request } = input
  let steps = 0
  const folds = train.map((leftOut, i): FoldAnswer => {
    clock.checkpoint()
    const others = train.filter((row) => row !== leftOut)
    const answer = answerLeftOut(others, leftOut, {
      ...search,
      negatives: negativesApartFrom(search.negatives, [leftOut]),
      endsAtMs: Math.min(search.cpuMs() + request.budgetMs, request.allSearchesMs ?? Infinity),
    })
    steps += answer.searchSteps
    clock.report('leave-one-out programs', 30 + (25 * (i + 1)) / train.length)
    return {
      id: leftOut.id,
      output: answer.output,
      abstained: false,
      confidence: answer.error === null ? 1 : 0,
      error: answer.error,
    }
  })
  return { folds, steps }
}

/** Samples programs from the synthesizer. */
export function samplePrograms(input: KindInput): KindSamples {
  const { train, request, clock } = input
  const search: ProgramSearch = {
    task: request.task,
    k: request.k,
    equality: input.equality,
    negatives: input.negatives,
    workBudget: request.workBudget ?? DEFAULT_WORK_BUDGET,
    cpuMs: startCpuTime(),
    endsAtMs: request.budgetMs,
    isCancelled: input.isCancelled,
  }
  clock.report('search programs', 5)
  const found = searchPrograms(train, search)
  clock.checkpoint()
  clock.report('search programs', 30)
  const winner = found.programs.find(isUsable)
  const records = found.programs.map((program, i) => toRecord(program, i + 1, program === winner))
  const usable = found.programs.flatMap((program, i) =>
    isUsable(program)
      ? [{ sampleId: `program-${i + 1}`, data: { kind: 'program' as const, recipe: program.recipe } }]
      : [],
  )
  const base = { records, dropped: found.dropped, trainingSteps: 0 }
  if (usable.length === 0) {
    const reason = found.programs.some(({ isMemorising }) => isMemorising)
      ? 'the programs found list the examples instead of a rule'
      : found.isCutShort
        ? 'the search reached its time limit before it found a program'
        : found.exhausted
          ? 'no program found within the search budget'
          : 'no program of the language turns these inputs into these outputs'
    return { ...base, candidates: null, reason, isCutShort: found.isCutShort, searchSteps: found.searchSteps }
  }
  const folds = input.leaveOneOut ? answerFolds(input, search) : null
  return {
    ...base,
    candidates: {
      kind: 'program',
      recipes: usable,
      competition: found.competition,
      folds: folds?.folds ?? null,
      innerEvidence: winner?.heldBack ?? null,
      innerPredictions: [],
    },
    reason: null,
    isCutShort: false,
    searchSteps: found.searchSteps + (folds?.steps ?? 0),
  }
}
