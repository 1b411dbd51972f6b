import type { Json } from '../../../kernel/json/json.ts'
import type { LeafResult } from '../../runtime/composite/judge-leaves.ts'
import type { CompileChoices } from '../lora/lora-options.ts'
import type { RecipeKind, Row } from '../../rows/task.ts'
import type { Figure } from '../../../kernel/wire/figure.ts'
import type { NegativeExample, SelectionFacts, UnlabelledInput } from '../../rows/intake/example.ts'
import type { KeptRows } from '../../rows/split/kept-rows.ts'
import type { Split } from '../../rows/split/split-report.ts'
import type { Equality } from '../../rows/equality/equality.ts'
import type { Evaluation, KScoreEnvelope } from '../scoring/score-types.ts'
import type { Certificate } from '../../runtime/certificate/certificate-types.ts'
import type { Verifier } from '../verifier/verifier-types.ts'
import type { RowAdvice } from './rows/row-advice.ts'
import type { DoubtChoices } from '../../runtime/certificate/risk.ts'
import type { TeacherReport } from '../teacher/teacher-types.ts'
import type { StageCost, RecipeData, AdapterData, SampleRecord, SamplingFacts, SampleOutput } from '../stage-types.ts'

/** Everything `verify` works from. */
export interface VerifyInput {
  readonly task: string
  readonly rows: readonly Row[]
  readonly negatives: readonly NegativeExample[]
  readonly facts: SelectionFacts
  readonly sample: SampleOutput
  /** The K-score below which the job is gated, 0 to 1. */
  readonly floor: number
  /** The kind that may ship; `auto` when absent: the K-score decides. */
  readonly recipeKind?: CompileChoices['recipe_kind']
  /** Unlabelled inputs under their ids, to advise which to label; none when absent. */
  readonly unlabelled?: readonly UnlabelledInput[]
  /** Form of the rows in the archive. Default: as they are. */
  readonly rowsForm?: CompileChoices['rows']
  /** True for a dry run: the rows whose folds were finished are enough. */
  readonly partial?: boolean
  /** The risk to certify and the behaviour in doubt; a dry run has none. */
  readonly doubt?: DoubtChoices
}

/** Result of one kind's winner on the rows that score it. */
export interface KindResult {
  readonly kind: RecipeKind
  /** Method of scoring its rows; absent in records of older versions. */
  readonly scoring?: Split['mode']
  readonly sampleId: string
  readonly evaluation: Evaluation
  readonly kScore: KScoreEnvelope
  /** On train rows that it was not fitted on; null when there were none. */
  readonly innerEvidence: { readonly rows: number; readonly right: number } | null
  /** The learner that this program or classifier did not prove to be better than; absent where it did, and for other kinds. */
  readonly outdoneBy?: RecipeKind
  /** Share of metamorphic trials that left the answer as it was; null when the verifier has none. */
  readonly metamorphic: { readonly trials: number; readonly passed: number } | null
}

/** One held-out row, as evals.json keeps it. */
export interface EvalCase {
  readonly id: string
  readonly input: Json
  readonly expected: Json
  readonly output: Json
  readonly correct: boolean
  readonly abstained: boolean
  /** The fold that the row is in; null without folds. */
  readonly fold: number | null
  readonly confidence: number
  /** Results of the leaves of a composite. */
  readonly leaves?: readonly LeafResult[]
}

/** A row that counts against the gate. */
export interface FailingRow {
  readonly id: string
  readonly expected: Json
  readonly got: Json
  readonly reason: 'wrong' | 'abstained' | 'recipe_failed' | 'out_of_budget' | 'no_candidate'
}

/** Misses of a kind's answers where all expected outputs are numbers. */
export interface NumberMisses {
  /** Half of the answers miss by at most this. */
  readonly half: number
  /** Nine tenths of the answers miss by at most this; null where more than one tenth of the rows has no answer. */
  readonly most: number | null
}

/** Decision whether the job may be signed, with its reasons. */
export interface GateResult {
  readonly floor: number
  readonly passed: boolean
  readonly k_score: number
  readonly reason: string | null
  readonly failing_rows: readonly FailingRow[]
  /** All failing rows, also those beyond the ones listed. */
  readonly failing_count: number
  /** Of numbers below the floor; absent in records of older versions. */
  readonly misses?: NumberMisses
}

/** The recipe that the archive will hold. */
export interface ChosenRecipe {
  readonly kind: RecipeKind
  readonly sampleId: string
  readonly data: RecipeData | AdapterData
}

/** Rows that were not evaluated for one kind: a search or a question without them was not finished. */
export interface NotEvaluated {
  readonly kind: RecipeKind
  /** Number of unevaluated rows, and of all rows. */
  readonly rows: number
  readonly of: number
  /** Their ids, 100 at most. */
  readonly row_ids: readonly string[]
}

/** Result of `verify`, row by row; `Verdict` is its condensed form. */
export interface VerifyOutput {
  readonly spec: 'svc-verify-1'
  readonly gate: GateResult
  /** The recipe to bundle; null when no kind had a candidate. Present also when gated: the best candidate. */
  readonly chosen: ChosenRecipe | null
  readonly kScore: KScoreEnvelope | null
  readonly verifier: Verifier
  readonly certificate: Certificate | null
  readonly equality: Equality
  /** Share of the unlabelled inputs on which the posterior over programs disagrees. */
  readonly undecided: Figure
  /** Unlabelled inputs that took part in the search; absent without any. */
  readonly unlabelledInputs?: readonly Json[]
  readonly kinds: readonly KindResult[]
  readonly notApplicable: readonly { readonly kind: RecipeKind; readonly reason: string }[]
  /** Rows that were not evaluated, by kind; none in a compile that signs. */
  readonly notEvaluated: readonly NotEvaluated[]
  /** The evaluation of the chosen recipe, row by row. */
  readonly evals: readonly EvalCase[]
  /** All rows with their results, as `reportRows` writes them. */
  readonly rowReport: Uint8Array
  /** Rows worth a look where the gate did not pass; null where it did. */
  readonly rowAdvice: RowAdvice | null
  readonly samples: readonly SampleRecord[]
  /** Ids of the samples whose answers on all train rows the verifier accepts: training data for an adapter. */
  readonly verifiedSampleIds: readonly string[]
  readonly split: Split
  readonly form: CompileChoices['rows']
  /** Rows that the archive holds besides the evaluated ones. */
  readonly rows: KeptRows | null
  readonly sampling: SamplingFacts | null
  readonly facts: SelectionFacts
  readonly teacher: TeacherReport
  readonly costs: readonly StageCost[]
}
