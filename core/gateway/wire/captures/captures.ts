import { z } from 'zod'
import { CAPTURE_SOURCES } from '../../captures/capture.ts'
import { LEFT_OUT } from '../../captures/recording/left-out.ts'
import { REVIEW_STATUSES } from '../../captures/review.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'

const Tokens = z
  .object({
    input: z.int(),
    cached: z.int().meta({ description: 'Part of `input` that came from the cache' }),
    cache_write: z.int().meta({ description: 'Part of `input` that was written to the cache' }),
    output: z.int(),
    reasoning: z.int().meta({ description: 'Part of `output`' }),
    is_estimated: z.boolean().meta({ description: 'True when the provider did not report all counts' }),
  })
  .meta({ id: 'CaptureTokens', description: 'Tokens of a captured call' })

/** A capture in a list. */
export const CaptureItem = z
  .object({
    id: z.string(),
    timestamp: z.iso.datetime(),
    namespace: z.string(),
    source: z.enum(CAPTURE_SOURCES),
    kind: z.string(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    status: z.enum(REVIEW_STATUSES).meta({ description: 'Review state' }),
    outcome: z.enum(['whole', 'interrupted', 'left', 'failed']),
    http_status: z.int(),
    error_code: z.string().nullable(),
    risk_score: z.number().nullable().meta({ description: '0 to 1; null when nothing was measured' }),
    redaction_applied: z.array(z.string()).meta({ description: 'Classes of sensitive text that were replaced' }),
    sensitive_classes: z
      .array(z.string())
      .meta({ description: 'Classes of sensitive text that were found, replaced or not' }),
    confidence: z.number().nullable(),
    latency_ms: z.number().nullable(),
    first_content_ms: z.number().nullable(),
    tokens: Tokens,
    cost_usd: z.number().nullable().meta({
      description:
        'An estimate where `tokens.is_estimated`; null for a model without a known price, and for a call that the provider may bill though nothing of its answer came',
    }),
    prompt_preview: z.string().nullable(),
    response_preview: z.string().nullable(),
    is_fixed: z.boolean().meta({ description: 'True when a reviewer wrote another output' }),
    receipt_id: z.string().nullable(),
    content_left_out: z.enum(LEFT_OUT).nullable().meta({
      description: 'Why its content was not stored: the storage of the plan was used, or the disk was nearly full',
    }),
  })
  .meta({ id: 'CaptureItem' })

/** A capture with all that is stored of it. */
export const CaptureDetail = CaptureItem.omit({ prompt_preview: true, response_preview: true })
  .extend({
    request_model: z.string().nullable(),
    prompt: z.string().nullable(),
    response: z.string().nullable(),
    fixed_output: z.string().nullable(),
    body: JsonValue,
    answer: JsonValue,
    attempts: z.array(JsonValue),
    route: JsonValue,
    risk_parts: z.record(z.string(), z.number()).nullable(),
    retention: z.enum(['kept', 'none']),
    conversation_id: z.string().nullable(),
    template_hash: z.string().nullable(),
    input_hash: z.string(),
    output_hash: z.string(),
    receipt: JsonValue,
    seq: z.int().meta({ description: 'Place in the chain of its namespace, from 1' }),
    chain_prev_hash: z.string(),
    chain_hash: z.string(),
    reviewed_at: z.iso.datetime().nullable(),
    reviewed_by: z.string().nullable(),
    review_reason: z.string().nullable(),
    media: z.array(
      z
        .object({
          uri: z.string(),
          kind: z.enum(['image', 'audio', 'video', 'blob']),
          mime: z.string(),
          filename: z.string().nullable(),
          bytes: z.int(),
        })
        .meta({ id: 'CaptureMedium', description: 'A file of the capture' }),
    ),
    forgotten_at: z.iso.datetime().nullable().meta({ description: 'When its content was erased' }),
  })
  .meta({ id: 'CaptureDetail' })

/** Result of checking the chains of a namespace. */
export const VerifyCapturesAnswer = z.object({
  ok: z.boolean(),
  verified: z.boolean(),
  namespace: z.string(),
  chain_length: z.int().meta({ description: 'Rows that were checked' }),
  cut_through: z.int().meta({ description: 'Rows up to this number were removed at the end of their time' }),
  checkpoints: z.int().meta({ description: 'Signed checkpoints that agree' }),
  head: z.string(),
  broken_at: z.int().exactOptional().meta({ description: 'Number of the first row that does not fit' }),
  reason: z.string().exactOptional(),
})
