import { z } from 'zod'
import { AnyJson, Hash, Name, Time } from '../../../ledger/wire/fields.ts'
import { Figure } from '../../../kernel/wire/figure.ts'
import { MAX_UNLABELLED } from '../../synthesis/search/pick-unlabelled.ts'
import { LoraBase } from '../../stages/lora/lora-recipe.ts'
import { FOLD_RULE } from '../../rows/split/plan-folds.ts'
import { EVAL_MODES } from '../../rows/split/split-report.ts'
import { RECIPE_KINDS, WORK_STAGES } from '../../rows/task.ts'
import { Acceptance } from './acceptance.ts'
import { UsedDataset } from '../../wire/jobs/dataset.ts'
import { CapturesDocument } from './captures.ts'
import { CidField, Count, Share } from './fields.ts'
import { EarlierScoreDocument, ScoreDocument } from './score.ts'

const Measure = z.number().nonnegative()

/** Result of the leakage check. */
const LeakageReport = z
  .object({
    input_overlap: Count,
    near_duplicate_groups: Count,
    near_duplicate_rows: Count,
    divided_groups: Count,
    near_duplicate_overlap: Count,
  })
  .catchall(AnyJson)

const SeedFacts = {
  seeds_hash: Hash,
  train_hash: Hash,
  holdout_hash: Hash,
  train_count: Count,
  holdout_count: Count,
  eval_source: z.enum(['tenant_captured', 'tenant_given']),
  eval_provenance: z.literal('real_eval'),
  leakage_report: LeakageReport,
  leakage_report_hash: Hash,
  synthesis_input_hash: Hash,
  source_seed_count: Count,
  approved_count: Count,
  min_train: z.literal(40),
  min_holdout: z.literal(10),
  production_ready: z.boolean(),
}

/** Source and split of the rows. The literals are the rules of `svc-build-1`. */
const FoldedSeeds = z
  .object({
    spec: z.literal('svc-seeds-2'),
    ...SeedFacts,
    split_mode: z.enum(EVAL_MODES),
    split_seed: z.string().nullable(),
    stratified_by: z.enum(['label', 'none']).nullable(),
    fold_rule: z.literal(FOLD_RULE).nullable(),
    fold_sizes: z.array(Count).nullable(),
    unlabelled_count: Count.optional(),
    unlabelled_hash: Hash.optional(),
    /** Absent in earlier builds. */
    figures: z.strictObject({ approved_count: Figure, eval_provenance: Figure }).optional(),
  })
  .catchall(AnyJson)
export type FoldedSeeds = z.infer<typeof FoldedSeeds>

/** The same in builds before cross-fitting, which name no spec. */
const EarlierSeeds = z
  .object({
    spec: z.undefined().optional(),
    ...SeedFacts,
    split_mode: z.enum(['holdout', 'leave_one_out']),
    split_seed: z.string(),
    stratified_by: z.enum(['label', 'none']),
    holdout_ratio: z.literal(0.2),
    synthetic_count: z.literal(0),
  })
  .catchall(AnyJson)
export type EarlierSeeds = z.infer<typeof EarlierSeeds>

/** Source and split of the rows, of any version. */
export const SeedProvenanceDocument = z.union([FoldedSeeds, EarlierSeeds])
export type SeedProvenanceDocument = z.infer<typeof SeedProvenanceDocument>

/** Origin, duration and cost of a frontier model's sample. */
const TeacherFacts = z
  .object({
    question: z.string().regex(/^(?:label\/\d+|program\/\d+(?:\/\d+\/repair\/\d+)?)$/),
    ordinal: Count,
    model: z.string(),
    finish: z.string(),
    input_tokens: Count,
    cached_tokens: Count,
    output_tokens: Count,
    cost_usd: Measure,
    latency_ms: Measure,
    attempts: Count,
    reused: z.boolean(),
    outcome: z.string(),
  })
  .catchall(AnyJson)
export type TeacherFacts = z.infer<typeof TeacherFacts>

/** Verdict on a sample of builds before typed evidence; row figures come in pairs of rows and right rows. */
const EarlierVerdict = z
  .object({
    fitted_rows: Count,
    fitted_right: Count,
    held_back_rows: Count.nullable(),
    held_back_right: Count.nullable(),
    verified_rows: Count.nullable(),
    verified_passed: Count.nullable(),
    negatives_violated: Count,
    chosen: z.enum(['winner', 'beaten', 'refused']),
  })
  .catchall(AnyJson)

/** Verdict on a sample: each figure counts rows, of the `n` that it was measured on. */
const VerdictDocument = z.strictObject({
  fitted_right: Figure,
  held_back_right: Figure,
  verified_passed: Figure,
  negatives_violated: Figure,
  chosen: z.enum(['winner', 'beaten', 'refused']),
})

const SampleFacts = {
  id: Name,
  provider: z.enum(['synthesizer', 'trainer', 'frontier']),
  kind: z.enum([...RECIPE_KINDS, 'label']),
  rank: z.int().positive(),
  search_steps: Count,
  training_steps: Count,
  size_bytes: Count.nullable(),
  recipe_hash: Hash.nullable(),
  settings: z.record(z.string(), AnyJson),
  teacher: TeacherFacts.optional(),
}

/** One sample that was recorded, taken or not. */
const SampleDocument = z.object({ ...SampleFacts, cost: Figure, verdict: VerdictDocument }).catchall(AnyJson)
const EarlierSample = z.object({ ...SampleFacts, cost: z.number(), verdict: EarlierVerdict }).catchall(AnyJson)
export type SampleDocument = z.infer<typeof SampleDocument> | z.infer<typeof EarlierSample>

/** Summary of the questions to a frontier model. */
const TeacherReportDocument = z
  .object({
    status: z.enum(['no_teacher_configured', 'not_asked', 'asked']),
    reason: z.string().nullable(),
    model: z.string().nullable(),
    dialect: z.string().nullable(),
    prices_usd_per_million: z.record(z.string(), AnyJson).nullable(),
    budget_usd: Measure.nullable(),
    samples: Count,
    bought: Count,
    reused: Count,
    input_tokens: Count,
    cached_tokens: Count,
    output_tokens: Count,
    cost_usd: Measure,
    unsettled_usd: Measure,
    programs: z.object({ samples: Count, candidates: Count, repairs: Count }).catchall(AnyJson).nullable(),
    labels: z.object({ samples: Count }).catchall(AnyJson).nullable(),
  })
  .catchall(AnyJson)
export type TeacherReportDocument = z.infer<typeof TeacherReportDocument>

/** Result and cost of one stage. */
const StageDocument = z
  .object({
    stage: z.enum(WORK_STAGES),
    status: z.enum(['done', 'skipped']),
    reason: z.string().nullable(),
    wall_ms: Measure,
    cpu_ms: Measure,
    search_steps: Count,
    training_steps: Count,
    training_tokens: Count.optional(),
    provider_tokens: Count,
    cost_usd: Measure,
    /** Absent in earlier builds. */
    figures: z
      .strictObject({
        wall_ms: Figure,
        cpu_ms: Figure,
        search_steps: Figure,
        training_steps: Figure,
        provider_tokens: Figure,
        cost_usd: Figure,
      })
      .optional(),
  })
  .catchall(AnyJson)

/** Settings of the search and the trainers; absent in builds that cannot be recomputed. */
export const SamplingDocument = z.strictObject({
  spec: z.literal('svc-sampling-1'),
  k: z.int().positive(),
  work_budget: z.int().positive(),
  ended_by_clock: z.array(z.enum(RECIPE_KINDS)),
})

const BuildFacts = {
  job_id: Name,
  created_at: Time,
  task: z.string(),
  base_model: z.string().max(1024),
  /** The base of an adapter, as the recipe names it; absent for other kinds. */
  base: LoraBase.optional(),
  recipe_kind: z.enum(RECIPE_KINDS),
  k_score: Share,
  k_score_floor: Share,
  /** Of an artifact below its floor, which its tenant accepted. */
  accepted: Acceptance.optional(),
  seed_provenance: SeedProvenanceDocument,
  /** Share of the unlabelled inputs on which the posterior over programs disagrees; absent in earlier builds. */
  undecided: Figure.optional(),
  /** CID of the version before it when it was signed; absent for a first version, and in earlier builds. */
  parent_cid: CidField.optional(),
  /** The captures that were learned from; absent where none were. */
  captures: CapturesDocument.optional(),
  /** The version of a dataset whose rows were compiled; absent for other rows. */
  dataset: UsedDataset.optional(),
  /** The unlabelled inputs that took part in the search. */
  unlabelled_inputs: z.array(AnyJson).max(MAX_UNLABELLED).optional(),
  teacher: TeacherReportDocument.optional(),
  stages: z.array(StageDocument),
  sampling: SamplingDocument.optional(),
  toolchain: z.object({ svc: Name, runtime: Name }).catchall(z.string()),
}

/** `build.json`: the facts that differ between builds. In the second form every figure names its basis. */
export const BuildDocument = z.discriminatedUnion('spec', [
  z
    .object({
      spec: z.literal('svc-build-1'),
      ...BuildFacts,
      k_score_envelope: EarlierScoreDocument,
      samples: z.array(EarlierSample),
    })
    .catchall(AnyJson),
  z
    .object({
      spec: z.literal('svc-build-2'),
      ...BuildFacts,
      k_score_envelope: ScoreDocument,
      samples: z.array(SampleDocument),
    })
    .catchall(AnyJson),
])
export type BuildDocument = z.infer<typeof BuildDocument>
