import { z } from 'zod'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { CaptureNamespace } from './fields.ts'

/** Pairs that one call stores at most. */
export const MOST_LOGGED = 200

const LoggedItem = z
  .object({
    input: JsonValue.optional().meta({ description: 'A text, or any JSON, which is stored as its text' }),
    prompt: JsonValue.optional().meta({ description: 'Another name of `input`' }),
    output: JsonValue.optional(),
    response: JsonValue.optional().meta({ description: 'Another name of `output`' }),
    assistant_response: JsonValue.optional().meta({ description: 'Another name of `output`' }),
    latency_us: z.int().min(0).max(86_400_000_000).nullish(),
    tool_calls: z.array(JsonValue).max(200).optional(),
    conversation_id: z
      .string()
      .regex(/^[A-Za-z0-9._-]{1,96}$/, { error: 'must be letters, digits, dots, dashes and underscores' })
      .optional(),
    timestamp: z.iso.datetime({ offset: true }).optional().meta({ description: 'When the call was made' }),
  })
  .meta({ id: 'LoggedCall', description: 'An input and its output' })
/** An input and its output. */
export type LoggedItem = z.infer<typeof LoggedItem>

/** Pairs to store. */
export const LogCapturesBody = z
  .object({
    namespace: CaptureNamespace.optional(),
    items: z.array(LoggedItem).min(1, { error: 'holds no item' }).max(MOST_LOGGED),
    provider: z.string().min(1).max(32).default('manual'),
    model: z.string().max(128).default(''),
    tool_choice: JsonValue.optional(),
    source: z.enum(['log', 'import']).default('log'),
  })
  .meta({
    id: 'LogCaptures',
    example: {
      namespace: 'support',
      provider: 'openai',
      model: 'gpt-4o-mini',
      items: [{ input: 'Classify the ticket: Where is my parcel?', output: 'shipping' }],
    },
  })
/** Pairs to store. */
export type LogCapturesBody = z.infer<typeof LogCapturesBody>

const Skipped = z
  .object({ index: z.int().meta({ description: 'Place in `items`, from 0' }), reason: z.string() })
  .meta({ id: 'SkippedCapture' })

const FailedItem = z
  .object({ index: z.int(), code: z.string(), classes: z.array(z.string()) })
  .meta({ id: 'FailedCapture', description: 'An item that the policy of the namespace refuses' })

const LogFields = {
  namespace: z.string(),
  count: z.int(),
  ids: z.array(z.string()),
  skipped: z.array(Skipped).meta({ description: 'Items without an input or without an output' }),
}

/** All items are stored, but for the skipped ones. */
export const LogCapturesAnswer = z.object(LogFields)

/** Some items were refused. */
export const PartlyLoggedAnswer = z.object({
  ok: z.literal(false),
  request_id: z.string(),
  ...LogFields,
  failures: z.array(FailedItem).meta({ description: 'The first five' }),
})

/** The answer to a log, whole or in part. */
export const LoggedAnswer = LogCapturesAnswer.extend({ failures: z.array(FailedItem).exactOptional() })

/** Nothing is stored, since the call or its namespace asks for that. */
export const NotLoggedAnswer = z.object({
  ...LogFields,
  retention: z.literal('none'),
  message: z.string(),
})

const Turn = z
  .object({
    role: z.string().min(1).max(32),
    content: z.union([z.string().max(65_536), JsonValue]),
    tool_calls: z.array(JsonValue).max(16).optional(),
    timestamp: z.iso.datetime({ offset: true }).optional(),
  })
  .meta({ id: 'ConversationTurn' })

/** A conversation to store. */
export const MultiTurnBody = z
  .object({
    namespace: CaptureNamespace.optional(),
    conversation_id: z.string().regex(/^[a-z0-9._-]{1,96}$/, { error: 'must be a-z, 0-9, dots, dashes, underscores' }),
    conversation: z.array(Turn).min(1, { error: 'has no turn' }).max(1024),
    parent_message_id: z.string().min(1).max(96).optional(),
    provider: z.string().min(1).max(32).default('manual'),
    model: z.string().max(128).default(''),
  })
  .meta({
    id: 'StoreConversation',
    example: {
      namespace: 'support',
      conversation_id: 'conv-1',
      conversation: [
        { role: 'user', content: 'Where is my parcel?' },
        { role: 'assistant', content: 'It arrives tomorrow.' },
      ],
    },
  })
/** A conversation to store. */
export type MultiTurnBody = z.infer<typeof MultiTurnBody>

/** The stored conversation. */
export const MultiTurnAnswer = z.object({
  namespace: z.string(),
  conversation_id: z.string(),
  capture_id: z.string(),
  turn_count: z.int(),
  bytes_written: z.int(),
  version: z.literal('svc-multi-turn-1'),
})

/** Kinds of multimodal captures. */
export const MULTIMODAL_KINDS = ['image', 'audio', 'tool_use', 'multi_turn'] as const

const Payload = z
  .object({
    created_at: z.iso.datetime({ offset: true }).optional(),
    redaction_classes_seen: z.array(z.string().max(64)).max(64).optional(),
    weight_ref: z.string().max(512).optional(),
    tool_name: z.string().max(128).optional(),
    turns: z
      .array(z.object({ role: z.string().max(32), content: z.string().max(65_536) }).meta({ id: 'PayloadTurn' }))
      .max(256)
      .optional(),
    data_uri: z
      .string()
      .max(8 * 1024 * 1024)
      .regex(/^data:[\w.+/-]{1,100};base64,/, { error: 'must be data:<media type>;base64,<bytes>' })
      .optional()
      .meta({ override: { type: 'string', pattern: '^data:' }, description: 'The bytes of the medium' }),
  })
  .meta({ id: 'MultimodalPayload' })

/** A multimodal capture to store. */
export const MultimodalBody = z
  .object({
    namespace: CaptureNamespace.optional(),
    kind: z.enum(MULTIMODAL_KINDS),
    payload: Payload,
    hash: z
      .string()
      .regex(/^(sha256:)?[0-9a-f]{64}$/, { error: 'must be a SHA-256 digest in hexadecimal' })
      .optional()
      .meta({ description: 'SHA-256 of the RFC 8785 form of the payload; checked when given' }),
    redaction_receipt: JsonValue.optional(),
  })
  .meta({
    id: 'StoreMultimodal',
    example: { namespace: 'support', kind: 'image', payload: { data_uri: 'data:image/png;base64,iVBORw0KGgo=' } },
  })
/** A multimodal capture to store. */
export type MultimodalBody = z.infer<typeof MultimodalBody>

/** The stored capture. */
export const MultimodalAnswer = z.object({
  namespace: z.string(),
  capture_id: z.string(),
  kind: z.enum(MULTIMODAL_KINDS),
  hash: z.string(),
  raw_stored: z.boolean().meta({ description: 'Whether the bytes of the medium are stored' }),
  bytes_written: z.int(),
  version: z.literal('svc-multimodal-1'),
})

/** The stored files of a call. */
export const StoreMediaAnswer = z.object({
  namespace: z.string(),
  count: z.int(),
  blobs: z.array(
    z
      .object({
        uri: z
          .string()
          .meta({ description: '`media:` and the digest: a handle within your account', example: 'media:…' }),
        hash: z
          .string()
          .meta({ description: 'Of the bytes that are stored: a file with a redacted text has other ones' }),
        is_stored: z.boolean().meta({ description: 'False in a namespace that keeps metadata only' }),
        bytes: z.int(),
        mime: z.string(),
        kind: z.enum(['image', 'audio', 'video', 'blob']),
        ext: z.string(),
        name: z.string(),
        filename: z.string().nullable(),
      })
      .meta({ id: 'StoredMedium' }),
  ),
  event_ids: z.array(z.string()).meta({ description: 'Ids of the captures' }),
  fields: z.record(z.string(), z.string()),
})

/** The parts of the multipart body. */
export const StoreMediaForm = z
  .object({
    file: z.string().meta({ override: { type: 'string', format: 'binary' }, description: 'A file; up to eight parts' }),
    namespace: CaptureNamespace.optional(),
    input: z.string().optional().meta({ description: 'What the files are about' }),
  })
  .meta({ id: 'StoreMediaForm' })
