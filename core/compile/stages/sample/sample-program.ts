import type { Json } from '../../../kernel/json/json.ts'
import { measured, notMeasured } from '../../../kernel/wire/figure.ts'
import { candidatesFor } from '../../synthesis/questions/posterior.ts'
import { countUndecided } from '../../synthesis/questions/undecided.ts'
import type { NegativeExample } from '../../rows/intake/example.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { ProgramCandidate } from '../../synthesis/result.ts'
import { DEFAULT_WORK_BUDGET } from '../../synthesis/synthesize.ts'
import type { Row } from '../../rows/task.ts'
import { hashOf, sizeOf } from '../candidate.ts'
import { startCpuTime } from '../clock/cpu-time.ts'
import { isUsable, type JudgedProgram, type ProgramSearch } from './judge-round.ts'
import { alternativesOf, answerLeftOut, searchPrograms } from './search-programs.ts'
import type { StageClock } from '../clock/stage-clock.ts'
import type {
  FoldAnswer,
  KindCandidates,
  ProgramPosterior,
  RecipeData,
  SampleInput,
  SampleRecord,
} from '../stage-types.ts'

/** Result of sampling one kind. */
export interface KindSamples {
  readonly candidates: KindCandidates | null
  readonly records: readonly SampleRecord[]
  readonly reason: string | null
  /** True when the clock ended the sampling before there was a candidate. */
  readonly isCutShort: boolean
  /** True when the clock ended the sampling, with a candidate or without: on a faster machine it might give others. */
  readonly isEndedByClock: boolean
  /** Reasons for which the language refused dropped candidates. */
  readonly dropped: readonly string[]
  /** Of programs, where unlabelled inputs were given. */
  readonly posterior?: ProgramPosterior
  readonly searchSteps: number
  readonly trainingSteps: number
}

/** Input of sampling each kind: only rows that a recipe may be fitted on. */
export interface KindInput {
  readonly train: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  /** Unlabelled inputs: those that take part in the search, and all. */
  readonly unlabelled: { readonly picked: readonly Json[]; readonly all: readonly Json[] }
  readonly equality: Equality
  /** The outputs of all rows: a composite takes their form, which tells nothing of an answer. */
  readonly outputs: readonly Json[]
  readonly request: Pick<
    SampleInput,
    'task' | 'k' | 'keepsAlternatives' | 'budgetMs' | 'allSearchesMs' | 'workBudget' | 'trainingShare'
  >
  readonly clock: StageClock
  readonly isCancelled: () => boolean
}

function toRecord(program: JudgedProgram, rank: number, isWinner: boolean, negatives: number): SampleRecord {
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
      negatives,
      chosen: usable ? (isWinner ? 'winner' : 'beaten') : 'refused',
    },
  }
}

/** The answers for the rows of one fold, by the best candidate of the other rows. */
export interface FoldSamples {
  readonly answers: readonly FoldAnswer[]
  readonly searchSteps: number
  readonly trainingSteps: number
  /** Reason for having no answers: the training failed. Null otherwise. */
  readonly failure: string | null
}

function searchOf(input: KindInput): ProgramSearch {
  const { request } = input
  return {
    task: request.task,
    k: request.k,
    keepsAlternatives: request.keepsAlternatives ?? false,
    equality: input.equality,
    negatives: input.negatives,
    unlabelled: input.unlabelled.picked,
    workBudget: request.workBudget ?? DEFAULT_WORK_BUDGET,
    cpuMs: startCpuTime(),
    endsAtMs: request.budgetMs,
    isCancelled: input.isCancelled,
  }
}

/** Answers the rows of a fold by a search over the train rows, with the budget of any search. */
export function answerByPrograms(input: KindInput, leftOut: readonly Row[]): FoldSamples {
  input.clock.report('search programs without a fold', 5)
  const { answers, searchSteps } = answerLeftOut(input.train, leftOut, searchOf(input))
  input.clock.checkpoint()
  return { answers, searchSteps, trainingSteps: 0, failure: null }
}

/** Returns the posterior over the programs that get every train row right, where unlabelled inputs were given. */
function posteriorOver(
  { train, equality, unlabelled }: KindInput,
  candidates: readonly ProgramCandidate[],
): { readonly posterior?: ProgramPosterior } {
  if (unlabelled.all.length === 0) return {}
  const fitting = candidatesFor(candidates, train, equality)
  const { inputs, undecided } = countUndecided(fitting, unlabelled.all, equality, train.length)
  const how = 'share of unlabelled inputs on which no answer has 0.95 of the posterior over programs'
  const share =
    fitting.length === 0 ? notMeasured('no program gets every row right') : measured(undecided / inputs, inputs, how)
  return { posterior: { candidates: fitting, inputs: unlabelled.picked, undecided: share } }
}

/** Samples programs from the synthesizer, on the train rows. */
export function samplePrograms(input: KindInput): KindSamples {
  const { train, clock } = input
  clock.report('search programs', 5)
  const search = searchOf(input)
  const found = searchPrograms(train, search)
  clock.checkpoint()
  clock.report('search programs', 95)
  const winner = found.programs.find(isUsable)
  const records = found.programs.map((program, i) =>
    toRecord(program, i + 1, program === winner, input.negatives.length),
  )
  const usable = found.programs.flatMap((program, i) => {
    if (!isUsable(program)) return []
    const alternatives = program === winner ? alternativesOf(program, found.programs, search) : []
    const data = { kind: 'program' as const, recipe: program.recipe, ...(alternatives.length > 0 && { alternatives }) }
    return [{ sampleId: `program-${i + 1}`, data }]
  })
  const base = {
    records,
    dropped: found.dropped,
    trainingSteps: 0,
    isEndedByClock: found.isCutShort,
    ...posteriorOver(input, found.candidates),
  }
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
  return {
    ...base,
    candidates: {
      kind: 'program',
      recipes: usable,
      competition: found.competition,
      folds: null,
      innerEvidence: winner?.heldBack ?? null,
      innerPredictions: [],
    },
    reason: null,
    isCutShort: false,
    searchSteps: found.searchSteps,
  }
}
