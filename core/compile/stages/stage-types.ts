import type { Json, JsonObject, Sha256 } from '../../kernel/json/json.ts'
import type { AdapterBytes } from '../archive/members/content.ts'
import type { LeafWeights } from '../runtime/composite/composite-runner.ts'
import type { LeafAnswer } from '../runtime/recipe.ts'
import type { LoraRecipe } from './lora/lora-recipe.ts'
import type { CompileChoices } from './lora/lora-options.ts'
import type { RecipeKind, Row, WorkStage } from '../rows/task.ts'
import type { Figure } from '../../kernel/wire/figure.ts'
import type { QuestionCandidate } from '../synthesis/questions/posterior.ts'
import type { NegativeExample, SelectionFacts, UnlabelledInput } from '../rows/intake/example.ts'
import type { Split } from '../rows/split/split-report.ts'
import type { Equality } from '../rows/equality/equality.ts'
import type { Tolerance } from '../rows/equality/tolerance.ts'
import type { RowResult } from './scoring/score-types.ts'
import type { Alternative } from '../runtime/certificate/agreement.ts'
import type {
  TeacherBrief,
  TeacherPlan,
  TeacherReport,
  TeacherRow,
  TeacherSampleFacts,
} from './teacher/teacher-types.ts'

/** Progress of a running stage. `done` of `total` are steps of the stage, not seconds. */
export interface StageProgress {
  readonly stage: WorkStage
  readonly step: string
  readonly done: number
  readonly total: number
}

/** Hooks that a stage may call while it runs. Both are optional so that a stage is a plain function of its input. */
export interface StageHooks {
  readonly onProgress?: (progress: StageProgress) => void
  readonly isCancelled?: () => boolean
}

/** Cost of one stage. */
export interface StageCost {
  readonly stage: WorkStage
  readonly status: 'done' | 'skipped'
  /** Reason for skipping it. */
  readonly reason: string | null
  readonly wall_ms: number
  readonly cpu_ms: number
  /** Search steps of the synthesizer. */
  readonly search_steps: number
  /** Rows times passes of the trainer of classifiers, iterations and trees of that of tables, optimizer steps of that of adapters. */
  readonly training_steps: number
  /** Tokens that an adapter was trained on, padding not counted. */
  readonly training_tokens?: number
  readonly provider_tokens: number
  readonly cost_usd: number
}

/** Input of `k-sample`. Plain data: it crosses threads and is stored between stages. */
export interface SampleInput {
  readonly task: string
  readonly rows: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  /** Inputs without an output: a few take part in the search for programs, and `undecided` is measured on all. */
  readonly unlabelled?: readonly UnlabelledInput[]
  readonly facts: SelectionFacts
  /** Maximum number of recorded samples of each kind. */
  readonly k: number
  /** True when programs keep alternatives, whose agreement is the confidence of an answer. */
  readonly keepsAlternatives?: boolean
  /** Processor milliseconds of one search, over all rows or without a fold; a safety net beside the work budget. */
  readonly budgetMs: number
  /** Search steps of one search: of the one over all train rows, and of each without a fold. */
  readonly workBudget?: number
  /** Processor milliseconds of all searches together, for a dry run: folds that it leaves no time for are not evaluated. */
  readonly allSearchesMs?: number
  /** Tolerances of numbers that the caller states. */
  readonly tolerances?: readonly Tolerance[]
  /** The kind that was asked for: a composite is then fitted also where a program is enough. */
  readonly recipeKind?: CompileChoices['recipe_kind']
  /** Part of the usual bounds of a training that this one may spend; all of them when absent. */
  readonly trainingShare?: number
  readonly splitSeed?: string
  /** Origin of the rows; `tenant_given` unless they are captured traffic. */
  readonly evalSource?: 'tenant_captured' | 'tenant_given'
  /** Brief for a frontier teacher; absent when none is configured. */
  readonly brief?: TeacherBrief
}

/** A recipe as data: JSON, and the weights of a classifier, a tabular model or the leaves of a composite as bytes. */
export type RecipeData =
  | { readonly kind: 'program'; readonly recipe: JsonObject; readonly alternatives?: readonly Alternative[] }
  | { readonly kind: 'classifier' | 'tabular'; readonly recipe: JsonObject; readonly weights: Uint8Array }
  | { readonly kind: 'composite'; readonly recipe: JsonObject; readonly leafWeights: LeafWeights }

/** An adapter with how it is asked. */
export interface AdapterData {
  readonly kind: 'lora'
  readonly recipe: LoraRecipe
  readonly adapter: AdapterBytes
}

/** Verdict on a sample; recorded for every sample, taken or not. */
export interface SampleVerdict {
  /** Rows it was fitted or searched on, and how many of them it gets right; null when it was not run on them. */
  readonly fitted_rows: number | null
  readonly fitted_right: number | null
  /** Rows held back inside the train rows (or folds), and how many of them it gets right; null when not measured. */
  readonly held_back_rows: number | null
  readonly held_back_right: number | null
  /** Set by `verify`: train rows whose answer the verifier accepts, of `verified_rows`. */
  readonly verified_rows: number | null
  readonly verified_passed: number | null
  /** Forbidden outputs that it gives, of `negatives` that it was run on; null when it was not. */
  readonly negatives_violated: number | null
  /** Absent in records of older versions. */
  readonly negatives?: number | null
  readonly chosen: 'winner' | 'beaten' | 'refused'
}

/** One sample of `k-sample`, for the evidence. */
export interface SampleRecord {
  readonly id: string
  readonly provider: 'synthesizer' | 'trainer' | 'frontier'
  /** `label`: an answer to an unlabelled input, which is training data and no recipe. */
  readonly kind: RecipeKind | 'label'
  /** 1 is the best of its kind. */
  readonly rank: number
  /** The synthesizer's cost of a program (lower is simpler), the trainer's held-back log loss; null without one. */
  readonly cost: number | null
  readonly search_steps: number
  readonly training_steps: number
  /** Null for a contender that was judged on folds only and never fitted on all rows. */
  readonly size_bytes: number | null
  readonly recipe_hash: Sha256 | null
  readonly settings: JsonObject
  readonly verdict: SampleVerdict
  /** For a frontier model's sample: its origin, duration and cost. */
  readonly teacher?: TeacherSampleFacts
}

/** The best candidate of one kind and the others that were recorded. */
export interface KindCandidates {
  readonly kind: 'program' | 'classifier' | 'tabular' | 'composite'
  /** Best first; `recipes[0]` is the winner, whose evaluation counts. Each belongs to the sample of the same id. */
  readonly recipes: readonly { readonly sampleId: string; readonly data: RecipeData }[]
  /** Method of picking the winner. */
  readonly competition: 'held_back_rows' | 'inner_cross_validation' | 'cross_fit' | 'rank'
  /** The answers for each row by a recipe fitted without its fold, in row order; null where other rows score the kind. */
  readonly folds: readonly FoldAnswer[] | null
  /** The winner's result on train rows outside its fit; null when none were held back. */
  readonly innerEvidence: { readonly rows: number; readonly right: number } | null
  /** Inner cross-validation of a classifier or a tabular model: the confidence and correctness of each prediction. */
  readonly innerPredictions: readonly { readonly confidence: number; readonly correct: boolean }[]
}

/** Answer of one fold's recipe for the row left out of it. */
export interface FoldAnswer {
  readonly id: string
  readonly output: Json
  readonly abstained: boolean
  readonly confidence: number
  /** `out_of_budget`: the fold was not finished, so its row is not evaluated. */
  readonly error: RowResult['error']
  /** Answers of the leaves of a composite; absent for other kinds and where it was not made. */
  readonly leaves?: readonly LeafAnswer[]
}

/** Settings of the sampling: with the rows they are enough to repeat it. */
export interface SamplingFacts {
  readonly spec: 'svc-sampling-1'
  readonly k: number
  /** Steps of one search. */
  readonly work_budget: number
  /** Kinds whose candidates on all rows are those that the clock left time for. */
  readonly ended_by_clock: readonly RecipeKind[]
}

/** Open points of the search over all rows. Plain data: it crosses threads and is stored between stages. */
export interface ProgramPosterior {
  /** Programs that get every row right, cheapest first, at most 64. */
  readonly candidates: readonly QuestionCandidate[]
  /** Unlabelled inputs that took part in every search of the compile. */
  readonly inputs: readonly Json[]
  /** Share of the unlabelled inputs on which the posterior disagrees. */
  readonly undecided: Figure
}

/** Output of `k-sample` for `verify`. */
export interface SampleOutput {
  /** `svc-sample-1` is that of versions before cross-fitting. */
  readonly spec: 'svc-sample-1' | 'svc-sample-2'
  readonly split: Split
  /** Scores what a teacher or an adapter saw, where `split` cross-fits; null for too few rows, absent in older records. */
  readonly apart?: Split | null
  /** Everything downstream compares with it; absent in records of older versions. */
  readonly equality?: Equality
  readonly samples: readonly SampleRecord[]
  readonly kinds: readonly KindCandidates[]
  /** Kinds without a candidate, and why. */
  readonly notApplicable: readonly { readonly kind: RecipeKind; readonly reason: string }[]
  /** Reasons for which the language refused dropped candidates, for the log; absent in records of older versions. */
  readonly dropped?: readonly string[]
  /** Kinds without a candidate because the clock ended their search; absent in records of older versions. */
  readonly cutShort?: readonly RecipeKind[]
  /** Absent in records of older versions. */
  readonly sampling?: SamplingFacts
  readonly cost: StageCost
  /** Inputs without an output that belong to no row; absent in records of older versions. */
  readonly unlabelled?: readonly Json[]
  /** The posterior over programs that get every row right; absent without unlabelled inputs. */
  readonly posterior?: ProgramPosterior
  /** Open questions for a teacher; null when none is left. */
  readonly teacherPlan: TeacherPlan | null
  readonly teacher: TeacherReport
  /** Unlabelled inputs with a teacher's answers, for training only. */
  readonly teacherRows: readonly TeacherRow[]
}
