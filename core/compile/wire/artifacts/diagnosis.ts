import { z } from 'zod'
import { CaptureNamespace } from '../../../gateway/wire/captures/fields.ts'
import { ArtifactId } from '../../../kernel/wire/ids.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { isCid } from '../../archive/cid.ts'
import { MODE_KINDS } from '../../artifacts/diagnosis/failure-modes.ts'
import { GAP_BOUNDS } from '../../artifacts/diagnosis/gaps.ts'

/** The kinds of reports on the rows of an artifact. */
export const REPORT_KINDS = ['diagnosis', 'failure_modes'] as const
/** A kind of report. */
export type ReportKind = (typeof REPORT_KINDS)[number]

/** A CID of an artifact, in paths and bodies. */
export const CidField = z
  .string()
  .refine((text) => isCid(text), { error: 'must have the form cidv1:sha256:<64 lower-case hex digits>' })
  .meta({ example: `cidv1:sha256:${'0'.repeat(64)}` })

/** The artifact to look at. */
export const DiagnoseBody = z
  .object({ artifact_cid: CidField })
  .meta({ id: 'Diagnose', example: { artifact_cid: `cidv1:sha256:${'0'.repeat(64)}` } })

const Category = z
  .object({
    name: z.string().meta({
      description:
        '`multi-turn`, `image`, `audio`, `video`, `pdf`, `tool-use`, the `category` that the input names, the namespace of the compile, or `general`',
    }),
    n: z.int(),
    accuracy: z.number().meta({ description: 'Share of right rows' }),
    k_score: z.number().meta({ description: 'The accuracy of these rows with the other axes of the artifact' }),
    k_score_ci_lo: z
      .number()
      .nullable()
      .meta({ description: 'K at the ends of the 95 % Wilson interval; null under 30 rows' }),
    k_score_ci_hi: z.number().nullable(),
    k_score_stddev: z.number().meta({ description: 'Standard deviation of the rows, which score 0 or 1' }),
    worst_sample_ids: z
      .array(z.string())
      .meta({ description: 'Ids of wrong rows, surest answers first; three at most' }),
  })
  .meta({ id: 'CategoryDiagnosis' })

const Recommendation = z
  .object({
    action: z.enum(['promote_to_production', 'capture_more', 'inspect_captures']),
    priority: z.enum(['info', 'medium', 'high']),
    reason: z.string(),
    category: z.string().exactOptional(),
    target_count: z.int().exactOptional().meta({ description: 'Rows to add' }),
  })
  .meta({ id: 'DiagnosisRecommendation' })

/** The diagnosis of an artifact. */
export const DiagnosisAnswer = z.object({
  diagnostic_version: z.literal('svc-diagnosis-1'),
  artifact_cid: z.string(),
  artifact_id: ArtifactId,
  source: z
    .string()
    .meta({ description: '`compile`: the rows that the artifact was signed with; or `evaluation:<id>`' }),
  n: z.int(),
  overall_k_score: z.number().meta({ description: 'The K-score of the artifact' }),
  per_category: z.array(Category).meta({ description: 'The worst first' }),
  worst_categories: z.array(z.string()).meta({ description: 'Three at most, of those with wrong rows' }),
  recommendations: z.array(Recommendation),
  generated_at: z.iso.datetime(),
})
/** The diagnosis of an artifact. */
export type DiagnosisAnswer = z.infer<typeof DiagnosisAnswer>

const ModeRow = z
  .object({
    id: z.string(),
    input: JsonValue.optional().meta({ description: 'Absent where only digests of the row are kept' }),
    expected: JsonValue.optional(),
    got: JsonValue.optional(),
  })
  .meta({ id: 'FailureModeRow' })

const Mode = z
  .object({
    cluster_id: z
      .string()
      .meta({ description: 'Made from the description: the same mode has the same id in every report' }),
    kind: z.enum(MODE_KINDS).meta({
      description:
        '`slice`: rows under conditions that fail more often. `answer`: a way in which answers are wrong. `cluster`: similar wrong rows of neither',
    }),
    title: z.string().meta({ description: 'The rows in words', example: '/amount has a number from 900 to 1,400' }),
    conditions: z.array(z.string()).meta({ description: 'The conditions in words, all of which hold' }),
    n: z.int().meta({ description: 'Rows of it' }),
    wrong: z.int(),
    accuracy: z.number(),
    k_score: z.number(),
    k_score_ci_lo: z.number(),
    k_score_ci_hi: z.number(),
    delta_vs_overall: z.number().meta({ description: 'K-score of its rows less that of the artifact' }),
    lift: z
      .number()
      .nullable()
      .meta({ description: 'How many times as often its rows are wrong as all rows; null for `answer`' }),
    p_value: z.number().meta({
      description: "One-sided: Fisher's exact test, or for `answer` the binomial test against outputs of other rows",
    }),
    p_adjusted: z.number().nullable().meta({
      description:
        'Adjusted for all tests made (Benjamini and Hochberg); null for `cluster`, which is compared with random draws',
    }),
    sample_ids: z.array(z.string()).meta({ description: 'Ids of its wrong rows, 200 at most' }),
    rows: z.array(ModeRow).meta({ description: 'The first of them, five at most' }),
  })
  .meta({ id: 'FailureMode' })

/** The failure modes of an artifact. */
export const FailureModesAnswer = z.object({
  artifact_cid: z.string(),
  artifact_id: ArtifactId,
  source: z.string(),
  n: z.int(),
  wrong: z.int(),
  n_with_content: z.int().meta({ description: 'Rows whose content is kept: conditions on inputs need it' }),
  overall_k_score: z.number(),
  clustering: z.literal('subgroups, then HDBSCAN'),
  cluster_count: z.int(),
  clusters: z.array(Mode).meta({ description: 'The surest first; empty where failures have no pattern' }),
  top_regressions: z
    .array(z.string())
    .meta({ description: 'Ids of the clusters with the lowest K-score, five at most' }),
  unexplained: z.int().meta({ description: 'Wrong rows of no cluster' }),
  diagnostic_link: z.string(),
  report_sha256: z.string(),
  generated_at: z.iso.datetime(),
})
/** The failure modes of an artifact. */
export type FailureModesAnswer = z.infer<typeof FailureModesAnswer>

/** The namespace whose failures are queued. */
export const FeedBody = z
  .object({ namespace: CaptureNamespace, top_k: z.int().min(1).max(1000).default(10) })
  .meta({ id: 'FeedActiveLearning', example: { namespace: 'support', top_k: 5 } })

const Gap = z
  .object({
    cluster_id: z.string(),
    title: z.string(),
    artifact_id: ArtifactId,
    gap_score: z.number().meta({ description: '`delta * log10(1 + samples)`' }),
    recommended_count: z.int().meta({ description: 'Captures to review' }),
    source_kscore_delta: z.number().meta({ description: 'K-score of the artifact less that of the rows' }),
    source_sample_count: z.int(),
    capture_ids: z.array(z.string()).meta({ description: 'Pending captures of the last 30 days that lie in it' }),
    is_new: z.boolean().meta({ description: 'False when it was queued earlier on this day (UTC)' }),
  })
  .meta({ id: 'ReviewGap' })

/** The queued rows. */
export const FeedAnswer = z.object({
  namespace: z.string(),
  fed_count: z.int().meta({ description: 'Gaps that are new today' }),
  attempted: z.int(),
  gaps: z.array(Gap).meta({ description: 'The largest first' }),
  threshold: z.object({
    min_delta: z.literal(GAP_BOUNDS.minDelta),
    window_days: z.literal(GAP_BOUNDS.windowDays),
    min_samples: z.literal(GAP_BOUNDS.minSamples),
    top_k: z.int(),
  }),
})
