import { z } from 'zod'
import { CaptureNamespace } from '../../gateway/wire/captures/fields.ts'
import { Accepted } from '../../compile/wire/jobs/accepted.ts'
import { KScoreFloor, taskText } from '../../compile/wire/jobs/spec.ts'
import { Figure } from '../../kernel/wire/figure.ts'
import { JobId } from '../../kernel/wire/ids.ts'
import { Cursor, NextCursor } from '../../kernel/wire/page.ts'
import { textUpTo } from '../../kernel/wire/text.ts'
import { JsonValue } from '../../kernel/wire/values.ts'
import type { Limits } from '../limits.ts'

const TemplateHash = z
  .string()
  .regex(/^ts1:[0-9a-f]{16}$/, { error: 'must be a template signature, ts1: and 16 hexadecimal digits' })
  .meta({ description: 'Signature of a template of calls', example: 'ts1:0123456789abcdef' })

/** Names of the input of an observed call, in the order in which they are looked for. */
const INPUTS = ['prompt', 'input', 'query', 'payload', 'event', 'data', 'request'] as const
/** Names of its output. */
const OUTPUTS = ['response', 'output', 'result'] as const

const Part = JsonValue.optional()
const Label = z.string().min(1).max(128)

/** An observed call. */
export const ObserveBody = z
  .object({
    namespace: CaptureNamespace.optional(),
    prompt: Part.meta({ description: 'What was asked: a text, or any JSON, which is stored as its text' }),
    input: Part.meta({ description: 'Another name of `prompt`' }),
    query: Part.meta({ description: 'Another name of `prompt`' }),
    payload: Part.meta({ description: 'What was asked, where it is an event or a request of another kind' }),
    event: Part.meta({ description: 'Another name of `payload`' }),
    data: Part.meta({ description: 'Another name of `payload`' }),
    request: Part.meta({ description: 'Another name of `payload`' }),
    response: Part.meta({ description: 'What was answered' }),
    output: Part.meta({ description: 'Another name of `response`' }),
    result: Part.meta({ description: 'Another name of `response`' }),
    provider: z.string().min(1).max(32).default('manual'),
    model: z.string().max(128).default(''),
    latency_ms: z.number().min(0).max(86_400_000).nullish(),
    cost_usd: z
      .number()
      .min(0)
      .max(1_000_000)
      .nullish()
      .meta({ description: 'What the call cost; without it, its cost is unknown, and it counts in no saving' }),
    source_id: Label.optional().meta({ description: 'Where the call was seen' }),
    channel_family: Label.optional(),
    direction: z.enum(['inbound', 'outbound']).optional(),
  })
  .meta({
    id: 'ObserveCall',
    example: {
      namespace: 'support',
      provider: 'openai',
      model: 'gpt-4o-mini',
      prompt: 'Classify the ticket: Where is my parcel 7731?',
      response: 'shipping',
      latency_ms: 420,
      cost_usd: 0.0004,
    },
  })
/** An observed call. */
export type ObserveBody = z.infer<typeof ObserveBody>

/** The first part of a call that a body has under one of its names. */
export function partOf(body: ObserveBody, part: 'input' | 'output') {
  const names: readonly ((typeof INPUTS)[number] | (typeof OUTPUTS)[number])[] = part === 'input' ? INPUTS : OUTPUTS
  return names.map((name) => body[name]).find((value) => value !== undefined && value !== null && value !== '')
}

const Usd = z.number().nullable()

/** A saving with all that it is computed from. */
const Saving = z
  .object({
    usd_per_month: Usd.meta({ description: 'Null when no cost is known, or nothing tells what a recipe would answer' }),
    formula: z.string(),
    cost_usd: Figure.meta({ description: 'Cost of the calls of `observed_days`' }),
    observed_days: z.number(),
    hit_rate: Figure.meta({ description: 'Share of the calls that a recipe answers as the model does' }),
    run_cost_usd: Figure,
  })
  .meta({ id: 'MonthlySaving' })

const ClusterCompile = z
  .object({ job_id: z.string(), status: z.string() })
  .meta({ id: 'ClusterCompile', description: 'The newest compile of the cluster' })

/** A cluster of calls that a recipe could answer. */
const Suggestion = z
  .object({
    template_hash: z.string(),
    template_hashes: z.array(z.string()).meta({ description: 'All templates of the cluster' }),
    namespace: z.string(),
    template_preview: z.string().meta({
      description:
        'The beginning of the instructions of the newest call, or of its turn where it has none, at most 240 characters',
    }),
    model: z.string().nullable().meta({ description: 'The model that answered most of the calls' }),
    count: z.int().meta({ description: 'Calls of the last 30 days that no review has discarded' }),
    approved: z.int().meta({ description: 'Those of them that a review has approved' }),
    approvals_missing: z.int().meta({ description: 'Approvals without which no compile starts' }),
    total_cost_usd: Usd,
    total_latency_ms: z.number().nullable(),
    avg_latency_ms: z.number().nullable(),
    examples: z.array(
      z
        .object({ capture_id: z.string(), input: z.string(), expected: z.string() })
        .meta({ id: 'SuggestedExample', description: 'A call, cut to 500 characters' }),
    ),
    est_savings_per_month_usd: Usd,
    saving: Saving,
    compile: ClusterCompile.nullable(),
    counted_at: z.iso
      .datetime()
      .meta({ description: 'When the figures were counted; the workflow does it each minute' }),
    synthesize_url: z.string(),
  })
  .meta({ id: 'SynthesisSuggestion' })
/** A cluster of calls that a recipe could answer. */
export type Suggestion = z.input<typeof Suggestion>

/** The stored call, and the cluster that it is in. */
export const ObserveAnswer = z.object({
  observation_id: z.string().meta({ description: 'Id of the capture' }),
  template_hash: z.string().nullable().meta({ description: 'Null where the namespace keeps no text' }),
  cluster_size: z.int().meta({ description: 'Calls of the cluster in the last 30 days that no review has discarded' }),
  ready_for_synthesis: z.boolean().meta({
    description: 'True from the fourth call on; a compile takes approved ones, see `approvals_missing`',
  }),
  suggestion: z
    .object({
      template_hash: z.string(),
      count: z.int(),
      approved: z.int(),
      approvals_missing: z.int(),
      est_savings_per_month_usd: Usd,
      saving: Saving,
    })
    .meta({ id: 'ObservedSuggestion' })
    .nullable(),
  persisted: z
    .object({ namespace: z.string(), durable: z.literal(true), redaction_applied: z.array(z.string()) })
    .meta({ id: 'PersistedObservation' }),
  secret_values_included: z.literal(false),
})

const Flag = z
  .enum(['0', '1', 'true', 'false'])
  .transform((text) => text === '1' || text === 'true')
  .meta({ override: { type: 'string', enum: ['0', '1', 'true', 'false'] } })

/** The query of observations. */
export const ListObservationsQuery = z.object({
  namespace: CaptureNamespace.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: Cursor.optional(),
  include_discarded: Flag.optional().meta({ description: 'Also those that a review has rejected or quarantined' }),
  since: z.iso.datetime({ offset: true }).optional().meta({ description: 'From this time on' }),
})

const Observation = z
  .object({
    id: z.string(),
    namespace: z.string(),
    source: z.string(),
    model: z.string().nullable(),
    template_hash: z.string().nullable(),
    input_excerpt: z.string().nullable(),
    output_excerpt: z.string().nullable(),
    latency_ms: z.number().nullable(),
    created_at: z.iso.datetime(),
    discarded: z.boolean(),
    kept: z.boolean().meta({ description: 'Approved by a review' }),
    promoted_recipe_id: z.string().nullable().meta({ description: 'The concept that a compile made of it' }),
  })
  .meta({ id: 'Observation' })

/** A page of observations, newest first. */
export const ListObservationsAnswer = z.object({
  total: z.int().nullable().meta({ description: 'Observations on all pages; null beyond 10,000' }),
  namespaces: z.array(z.string()),
  ready_to_distill: z
    .array(z.object({ namespace: z.string(), pairs: z.int() }).meta({ id: 'DistillableNamespace' }))
    .meta({ description: 'Namespaces with 1,000 observed calls in the last 30 days' }),
  since_applied: z.iso.datetime({ offset: true }).nullable(),
  observations: z.array(Observation),
  next_cursor: NextCursor,
})

/** The decision about an observation. */
export const UpdateObservationBody = z
  .object({
    discarded: z.boolean().optional().meta({ description: 'True rejects the capture; false withdraws that' }),
    kept: z.boolean().optional().meta({ description: 'True approves the capture; false withdraws that' }),
  })
  .refine(({ discarded, kept }) => discarded !== undefined || kept !== undefined, {
    error: 'needs `discarded` or `kept`',
    path: ['discarded'],
  })
  .refine(({ discarded, kept }) => !(discarded === true && kept === true), {
    error: 'a discarded observation cannot be kept',
    path: ['kept'],
  })
  .meta({ id: 'UpdateObservation', example: { kept: true } })

/** The observation after the change. */
export const UpdateObservationAnswer = z.object({
  id: z.string(),
  discarded: z.boolean(),
  kept: z.boolean(),
  status: z.string(),
})

/** The query of suggestions. */
export const ListSuggestionsQuery = z.object({
  namespace: CaptureNamespace.optional(),
  limit: z.coerce.number().int().min(1).max(100).default(20),
})

/** The largest clusters. */
export const ListSuggestionsAnswer = z.object({
  suggestions: z.array(Suggestion),
  total: z.int().meta({ description: 'Clusters of four calls or more' }),
})

/** A compile of the approved captures of a cluster. */
export function autoSynthesizeBody(limits: Limits) {
  return z
    .object({
      template_hash: TemplateHash,
      namespace: CaptureNamespace.optional().meta({ description: 'Needed where several namespaces have the template' }),
      name: textUpTo(100).optional().meta({ description: 'Leads the task, and so names the concept' }),
      task: taskText(limits)
        .optional()
        .meta({ description: 'The task in words; when absent, what the calls have in common' }),
      k_score_floor: KScoreFloor.optional(),
    })
    .meta({ id: 'AutoSynthesize', example: { template_hash: 'ts1:0123456789abcdef', name: 'ticket router' } })
}

/** The started compile. */
export const AutoSynthesizeAnswer = z.object({
  job_id: JobId,
  status: Accepted.shape.status,
  poll: z.string(),
  stream_url: z.string(),
  template_hash: z.string(),
  namespace: z.string(),
  task: z.string(),
  observations: z.int().meta({
    description: 'Approved captures that it reads; the job says which of them became examples, and why others did not',
  }),
})

/** Recipes that are called often. */
export const SpecialistCandidatesAnswer = z.object({
  candidates: z.array(
    z
      .object({
        recipe_id: z.string().meta({ description: 'Id of the concept' }),
        name: z.string(),
        recipe_kind: z.string(),
        invocations: z.int().meta({ description: 'Calls of all its versions, counted as they were made' }),
        threshold: z.int(),
        ready: z.boolean(),
        last_invoked_at: z.iso.datetime(),
      })
      .meta({ id: 'SpecialistCandidate' }),
  ),
  threshold: z.int(),
  total: z.int(),
})
