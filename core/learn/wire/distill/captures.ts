import { z } from 'zod'
import { KScoreFloor, taskText } from '../../../compile/wire/jobs/spec.ts'
import { CaptureNamespace } from '../../../gateway/wire/captures/fields.ts'
import { REVIEW_STATUSES } from '../../../gateway/captures/review.ts'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { TEACHER_CLASSES } from '../../distill/teacher-class.ts'
import { RUN_STATES } from '../../distill/run.ts'
import type { Limits } from '../../limits.ts'

/** Captures that a recipe needs at least (reference 1). */
export const LEAST_PAIRS = 4
/** Captures that a survey counts at most, the newest; so also the largest floor of pairs that a caller may set. */
export const MOST_SURVEYED = 5000

/** Ways to distil captures: the largest cluster, or all of a namespace. */
export const CAPTURE_MODES = ['recipe', 'specialist'] as const

const Count = z.int().min(0)

/** Facts about the models that answered the captures. */
export const TeacherFacts = {
  teacher_source: z.enum(TEACHER_CLASSES).meta({
    description: 'Class of the models that answered the captures; a single proprietary answer makes it `proprietary`',
  }),
  teacher_source_tos_risk: z.enum(['low', 'high', 'unknown']).meta({
    description: 'Whether the usual terms of such models forbid training on their answers. No legal advice',
  }),
  teacher_source_counts: z.object({ 'open-weights': Count, proprietary: Count, unknown: Count }),
  teacher_models: z.array(z.string()).meta({ description: 'At most ten models, most answers first' }),
}

/** JSON body of `POST /v1/distill/from-captures`. */
export function capturesDistillBody(limits: Limits) {
  return z
    .strictObject({
      namespace: CaptureNamespace.default('default'),
      min_pairs: z
        .int()
        .min(LEAST_PAIRS)
        .max(MOST_SURVEYED)
        .default(LEAST_PAIRS)
        .meta({ description: 'Captures that there must be at least' }),
      mode: z
        .enum(CAPTURE_MODES)
        .optional()
        .meta({
          description: `\`recipe\`: the largest cluster of alike calls. \`specialist\`: all calls of the namespace. When absent, \`specialist\` from ${limits.specialist_calls} captures on, else \`recipe\``,
        }),
      name: textUpTo(128)
        .optional()
        .meta({ description: 'A name for people, before the task', example: 'ticket-router' }),
      task: taskText(limits).optional().meta({ description: 'The task in words; made of the calls when absent' }),
      statuses: z
        .array(z.enum(REVIEW_STATUSES))
        .min(1)
        .max(REVIEW_STATUSES.length)
        .default(['pending', 'approved'])
        .meta({ description: 'Review states of the captures to learn from' }),
      teacher: z.string().min(1).max(200).optional().meta({
        description:
          'A model that is asked about rows whose label is probably wrong, by your key or the operator: `provider:model`, or a name that tells its provider. Held-out rows are in no question',
        example: 'openai:gpt-4o-mini',
      }),
      k_score_floor: KScoreFloor.default(0.85),
      base_model: z.string().min(1).max(100).optional().meta({
        description:
          'Base of an adapter, which is fitted when nothing cheaper reaches the floor; `none` for no adapter',
      }),
    })
    .meta({ id: 'DistillFromCaptures' })
}

/** The answer of a run that was accepted. */
export const RunAccepted = z.object({
  run_id: z.string(),
  job_id: z.string().meta({ description: 'The id of the run' }),
  status: z.enum(RUN_STATES),
  namespace: z.string(),
  poll_url: z.string(),
  status_url: z.string(),
  stream_url: z.string(),
})

/** The answer of `POST /v1/distill/from-captures`. */
export const CapturesDistillAnswer = RunAccepted.extend({
  mode: z.enum(CAPTURE_MODES),
  captures: Count.meta({ description: 'Captures that the run starts from, at most 5,000 counted' }),
  template_hash: z.string().nullable().meta({ description: 'The cluster of a recipe' }),
  ...TeacherFacts,
}).meta({ id: 'DistillFromCapturesAccepted' })

const Share = z.number().nullable()

/** The expected gain of more captures, by the runs so far. */
const DataBudgetView = z
  .object({
    basis: z.enum(['rectified', 'insufficient']).meta({
      description: '`insufficient` below four finished runs of different size, or when no curve fits them',
    }),
    verdict: z.enum(['acquire', 'stop', 'switch']).nullable().meta({
      description: '`switch`: more captures of this kind do not reach the target',
    }),
    required_examples: Count.nullable().meta({ description: 'Rows to learn from, counted as a run counts them' }),
    pairs_remaining: Count.nullable().meta({
      description: 'Rows to learn from that are missing; of many captures a fifth is held out',
    }),
    marginal_dk_per_row: Share,
    expected_k_at_current: Share,
    achievable_k_max: Share,
    rmsd: Share,
    points: Count.meta({ description: 'Finished runs of the namespace with a measured K-score' }),
    curve: z.array(z.object({ n: Count, k_hat: z.number() })),
  })
  .meta({ id: 'DataBudget' })

/** The answer of `GET /v1/distill/from-captures/preview`. */
export const CapturesPreviewAnswer = z
  .object({
    namespace: z.string(),
    total_captures: Count.meta({
      description: 'Captures of the last 30 days that no review has discarded, at most 5,000',
    }),
    top_clusters: z.array(
      z.object({
        template_hash: z.string().meta({ description: '`untagged` for captures without a template' }),
        count: Count,
      }),
    ),
    mode_hint: z.enum(CAPTURE_MODES),
    recipe_eligible: z.boolean(),
    specialist_eligible: z.boolean(),
    ...TeacherFacts,
    teacher_source_policy: z.enum(['any']).meta({ description: 'Which classes of teachers are allowed' }),
    policy_enforced: z.boolean(),
    cost: z.object({
      compile_units: Count.meta({
        description: 'Units of the plan that the run reserves; returned when nothing is signed',
      }),
      capture_mean_usd: z.number().nullable().meta({
        description: 'Mean recorded cost of these captures, over those whose cost is known; null where none is',
      }),
      priced_captures: Count,
      teacher_samples_per_row: Count,
      teacher_usd_at_most: z.number().nullable().meta({
        description: 'With a teacher that costs as much: when every row to learn from were asked about',
      }),
      formula: z.string(),
    }),
    data_budget: DataBudgetView,
  })
  .meta({ id: 'DistillPreview' })
