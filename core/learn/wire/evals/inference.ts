import { z } from 'zod'
import { GivenArtifactId, idOf } from '../../../kernel/wire/ids.ts'
import { NextCursor } from '../../../kernel/wire/page.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { BUILT_IN_PROMPTS, INFERENCE_STATES } from '../../evals/inference/inference.ts'
import { INFERENCE_SCHEMA } from '../../evals/inference/signed-row.ts'
import { EvalNamespace } from './evals.ts'

/** Most characters of a prompt in JSON. */
const PROMPT_CHARS = 20_000
/** Most calls of a measurement, those of all concurrencies together. */
const MOST_CALLS = 10_000
/** The id of a measurement. */
export const MeasurementId = idOf('inf', 'Id of a measurement')

/** JSON body of `POST /v1/bench/inference/run`. */
export const InferenceBody = z
  .strictObject({
    artifact_id: GivenArtifactId.optional().meta({
      description: 'An artifact of yours, asked as `POST /v1/run` asks it',
    }),
    model: z.string().min(1).max(100).optional().meta({
      description: 'Without `artifact_id`: a base of this server. With it: a name for the row',
      example: 'nano',
    }),
    namespace: EvalNamespace.optional(),
    prompts: z
      .array(
        JsonValue.refine(
          (value) => JSON.stringify(value).length <= PROMPT_CHARS,
          `has more than ${PROMPT_CHARS} characters`,
        ),
      )
      .min(1)
      .max(50)
      .default([...BUILT_IN_PROMPTS])
      .meta({ description: 'What is asked: texts, or inputs of the artifact' }),
    repeats: z.int().min(1).max(1000).default(1).meta({ description: 'Times that each prompt is asked' }),
    warm_up: z.int().min(0).max(100).default(1).meta({ description: 'Calls before any is measured' }),
    max_tokens: z.int().min(1).max(8192).default(256).meta({
      description: 'Tokens of an answer of a base at most; an artifact has its own bound',
    }),
    concurrency: z
      .array(z.int().min(1).max(16))
      .min(1)
      .max(16)
      .default([1])
      .meta({ description: 'Calls under way at once; each is measured by itself', example: [1, 2, 4, 8, 16] }),
    speculative: z.string().min(1).max(100).default('off').meta({
      description: '`auto`, `off`, or a draft model. Drafts are not supported: the row says so and why',
    }),
    dry_run: z.boolean().default(false).meta({ description: 'True for the plan alone: nothing is measured or stored' }),
  })
  .refine(({ prompts, repeats, concurrency }) => prompts.length * repeats * concurrency.length <= MOST_CALLS, {
    path: ['repeats'],
    error: `prompts, repeats and concurrency make more than ${MOST_CALLS} calls`,
  })
  .meta({ id: 'MeasureInference' })

const Times = z.object({ mean: z.number(), p50: z.number(), p95: z.number() })
const Nothing = z.null().meta({ description: 'No draft is measured, so no factor is known' })

/** The signed row of a measurement. */
export const InferenceRow = z
  .looseObject({
    schema: z.literal(INFERENCE_SCHEMA),
    measurement_id: MeasurementId,
    ran_at: z.iso.datetime(),
    dry_run: z.literal(false),
    model: z.string(),
    target: z.object({
      kind: z.enum(['artifact', 'base']),
      artifact_id: z.string().nullable(),
      cid: z.string().nullable(),
      base: z.string().nullable(),
    }),
    hardware: z
      .object({
        cpu_model: z.string(),
        cpus: z.int(),
        memory_bytes: z.int(),
        platform: z.string(),
        arch: z.string(),
      })
      .meta({ description: 'As the measuring process sees it' }),
    runtime: z.object({ name: z.string(), version: z.string(), node: z.string() }),
    config: z.looseObject({ prompts: z.int(), repeats: z.int(), warm_up_calls: z.int(), max_tokens: z.int() }),
    speculative: z.object({
      requested: z.string(),
      mode: z.literal('off'),
      draft_model: z.null(),
      supported: z.literal(false),
      reason: z.string(),
    }),
    arms: z.object({
      baseline: z.array(
        z
          .object({
            concurrency: z.int(),
            n_calls: z.int(),
            ok_calls: z.int(),
            err_calls: z.int(),
            errors: z.record(z.string(), z.int()).meta({ description: 'Calls that failed, by code' }),
            wall_ms: z.number(),
            latency_ms: Times.nullable().meta({ description: 'Of calls that answered; percentiles by nearest rank' }),
            ttft_ms: Times.nullable().meta({
              description: 'Time to the first token, the wait included; null for what does not generate',
            }),
            tokens_in: z.int().nullable(),
            tokens_out: z.int().nullable(),
            tokens_per_sec: z.number().nullable().meta({ description: 'Tokens of all answers by `wall_ms`' }),
            calls_per_sec: z.number(),
          })
          .meta({ id: 'InferenceLevel' }),
      ),
      speculative: z.null(),
    }),
    deltas: z.object({ throughput_speedup: Nothing, latency_speedup: Nothing }),
    cost_per_1k_tokens_usd: z.null().meta({ description: 'What runs here has no price' }),
    kid: z.string().meta({ description: 'Names the key in `GET /.well-known/jwks.json`' }),
    signature: z.string().meta({
      description: 'Ed25519, base64url, over the RFC 8785 form of all members but `signature`',
    }),
  })
  .meta({ id: 'InferenceRow' })
export type InferenceRow = z.output<typeof InferenceRow>

/** A measurement, or the plan of one. */
export const InferenceView = z
  .object({
    measurement_id: MeasurementId.nullable().meta({ description: 'Null for a plan, which is not stored' }),
    namespace: z.string(),
    state: z.enum(['planned', ...INFERENCE_STATES]),
    dry_run: z.boolean(),
    model: z.string(),
    plan: z.object({
      target: z.object({ kind: z.enum(['artifact', 'base']), name: z.string() }),
      calls: z.int().meta({ description: 'Calls that are measured' }),
      warm_up_calls: z.int(),
      concurrency: z.array(z.int()),
      prompts: z.int(),
      repeats: z.int(),
      max_tokens: z.int(),
      speculative: z.object({ requested: z.string(), supported: z.literal(false), reason: z.string() }),
    }),
    row: InferenceRow.nullable().meta({ description: 'The signed row; null before it is measured' }),
    error_code: z.string().nullable(),
    error: z.string().nullable(),
    created_at: z.iso.datetime().nullable(),
    finished_at: z.iso.datetime().nullable(),
    poll: z.string().nullable(),
  })
  .meta({ id: 'InferenceMeasurement' })
export type InferenceView = z.output<typeof InferenceView>

/** Answer of `GET /v1/bench/inference`. */
export const ListInferenceAnswer = z.object({
  schema: z.literal(INFERENCE_SCHEMA),
  measurements: z.array(InferenceView),
  rows: z.array(InferenceRow).meta({ description: 'The signed rows of the page' }),
  count: z.int(),
  next_cursor: NextCursor,
  generated_at: z.iso.datetime(),
})
