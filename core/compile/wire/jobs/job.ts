import { UsedDataset } from './dataset.ts'
import { z } from 'zod'
import { DELIVERY_STATES } from '../../../kernel/egress/webhooks/delivery.ts'
import { ConceptId, JobId, VersionId } from '../../../kernel/wire/ids.ts'
import { JOB_STATUSES, STATUSES_IN_FULL, STAGES, WORK_STAGES } from '../../rows/task.ts'
import { Figure } from '../../../kernel/wire/figure.ts'
import { RentalView } from './rentals/rental.ts'
import { AcceptanceView } from './explain/acceptance.ts'
import { LearnedCapturesView } from './captures.ts'
import { Figures } from './figures.ts'
import { HelpView } from './explain/help.ts'
import { KInterval } from './k-interval.ts'
import { LeafView } from './leaves.ts'
import { ProductionReason } from './explain/production.ts'
import { QuestionView } from './questions.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { CertificateView } from '../../archive/schemas/certificate.ts'
import { Tolerances } from '../../rows/equality/tolerance.ts'
import { OnDoubtField } from '../../runtime/certificate/risk.ts'

const KScore = z.number().meta({ description: 'Quality score, 0 to 1' })

const StageLabel = z.string().meta({ description: 'The stage in words', example: 'Verifying' })

const SizeMb = z.number().meta({ description: 'Size of the archive in millions of bytes' })

/** A job in a list. */
export const JobSummaryView = z
  .object({
    id: JobId,
    status: z.enum(JOB_STATUSES),
    stage: z.enum(STAGES),
    stage_label: StageLabel,
    progress: z.number(),
    task: z.string().meta({ description: 'The beginning of the task' }),
    k_score: KScore.optional(),
    size_mb: SizeMb.optional(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'CompileJobSummary' })

/** One stage of a job. */
export const StageView = z
  .object({
    name: z.enum(WORK_STAGES),
    label: StageLabel,
    status: z.enum(['running', 'done', 'skipped', 'failed', 'cancelled']),
    started_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
    attempts: z.int(),
    cost: z
      .object({
        duration_ms: z.number(),
        figures: z
          .object({ duration_ms: Figure })
          .optional()
          .meta({ description: 'Whether the time was measured: a skipped stage has none' }),
        cpu_ms: z.number().optional(),
        usd: z.number(),
        tokens: z.number().optional(),
        work_units: z.number().optional(),
      })
      .nullable(),
  })
  .meta({ id: 'CompileStage' })

/** Rows without an answer. */
export const UnansweredView = z.object({
  count: z.int(),
  lines: z.array(z.int()).meta({ description: 'The first 20, as an editor shows them; empty without a file' }),
})

/** Rows that could not be evaluated, by kind of candidate. */
export const NotEvaluatedRows = z.array(
  z.object({ kind: z.string(), rows: z.int(), of: z.int(), row_ids: z.array(z.string()) }),
)

/** A job in full. A finished one is `completed` here and `ready` in lists and streams. */
export const JobView = z
  .object({
    id: JobId,
    job_id: JobId,
    status: z.enum(STATUSES_IN_FULL),
    status_label: z.enum(JOB_STATUSES).meta({ description: 'The status in words: `ready` for `completed`' }),
    stage: z.enum(STAGES),
    stage_label: StageLabel,
    progress: z.number().meta({ description: '0 to 100' }),
    asking: z.literal(true).optional().meta({ description: 'Present while a question is open' }),
    questions: z.array(QuestionView).optional().meta({ description: 'Present for a compile that may ask' }),
    task: z.string(),
    base_model: z.string(),
    examples_n: z.int().meta({ description: 'Rows with an answer, repeated ones included' }),
    unanswered: UnansweredView.optional().meta({
      description:
        'Present where rows have no answer: they are not learned from, and `POST …/again` takes their answers by id',
    }),
    dataset: UsedDataset.optional(),
    earlier_job: JobId.optional().meta({ description: 'The job whose examples it compiles again' }),
    captures: LearnedCapturesView.optional().meta({ description: 'Present where examples are captures' }),
    k_score_floor: z.number(),
    tolerances: Tolerances.optional(),
    k_score: KScore.optional(),
    k_interval: KInterval.optional(),
    leaves: z.array(LeafView).optional().meta({ description: 'Of a composite recipe: its leaves, in their order' }),
    k_score_envelope: JsonValue.optional().meta({ description: 'Inputs of the K-score' }),
    figures: Figures.optional(),
    evals_summary: z.object({ total: z.int(), source: z.string(), failing: z.int() }).optional(),
    seed_provenance: JsonValue.optional().meta({ description: 'How the rows were checked and split' }),
    certificate: CertificateView.optional().meta({
      description:
        'The risk certificate, of a job with `risk`: its threshold, its promise in words and the risk-coverage curve',
    }),
    on_doubt: OnDoubtField.optional(),
    recipe_kind: z.string().optional(),
    undecided: Figure.optional().meta({
      description:
        'Share of the unlabelled inputs on which the programs that get every row right disagree: no answer has 0.95 of their posterior. `not_measured` without such inputs, and for other kinds of recipe',
    }),
    teacher: JsonValue.optional().meta({
      description: 'Whether a frontier model was asked, its cost and its results',
    }),
    production_ready: z.boolean().optional().meta({ description: 'Present once the rows were split' }),
    production_reasons: z.array(ProductionReason).optional().meta({ description: 'What speaks against production' }),
    what_would_help: z.array(HelpView).optional().meta({ description: 'Of a gated job: the most useful first' }),
    rental: RentalView.optional().meta({ description: 'Of a compile that rents a machine for its adapter' }),
    accepted: AcceptanceView.optional().meta({ description: 'Of a job that was accepted below its floor' }),
    failing_rows: z.array(z.string()).optional().meta({ description: 'Ids of the rows that count against the gate' }),
    not_evaluated: NotEvaluatedRows.optional().meta({
      description:
        'Of a job that failed with `evaluation_incomplete`: the rows that could not be evaluated, by kind. They are not scored.',
    }),
    size_mb: SizeMb.optional(),
    manifest: z.string().optional().meta({ description: 'Digest of manifest.json' }),
    signature: z.string().optional(),
    artifact_hash: z.string().optional().meta({ description: 'The hash that receipts name' }),
    archive_hash: z.string().optional().meta({ description: 'Digest of the bytes of the archive' }),
    cid: z.string().optional(),
    eval_set_hash: z.string().optional(),
    artifact_id: JobId.optional(),
    artifact_url: z.string().optional(),
    deploy_hook_set: z.boolean().meta({
      description: 'Whether the job has a deploy hook; 90 days after the end of its delivery it has none any more',
    }),
    deploy_status: z.enum(DELIVERY_STATES).optional().meta({
      description:
        'Of a job with a hook. `pending`: it runs, or the message is on its way; `failed`: the hook did not take it within a day, or is gone; `skipped`: there is no artifact to deploy. A gated job that is accepted is deployed',
    }),
    deploy_error_code: z.string().optional(),
    concept_id: ConceptId.optional(),
    version_id: VersionId.optional(),
    cost_usd: z.number(),
    stages: z.array(StageView),
    error: z.string().optional(),
    error_code: z.string().optional(),
    created_at: z.iso.datetime(),
    started_at: z.iso.datetime().optional(),
    completed_at: z.iso.datetime().optional(),
    failed_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'CompileJob' })
export type JobView = z.input<typeof JobView>
