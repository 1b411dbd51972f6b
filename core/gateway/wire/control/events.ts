import { z } from 'zod'
import { textUpTo } from '../../../kernel/wire/text.ts'
import { CHANNEL_FAMILIES, DIRECTIONS, LINK_NAMES, PAYLOAD_POLICIES } from '../../control/catalog.ts'
import { isJsonObject, type JsonObject } from '../../../kernel/json/json.ts'
import { JsonValue } from '../../../kernel/wire/values.ts'
import { idOf } from '../../../kernel/wire/ids.ts'

const Word = textUpTo(200)

const EventFields = z.object({
  source_id: Word.optional().meta({ description: 'Who sends it; `manual-observe` when absent' }),
  channel_family: z.enum(CHANNEL_FAMILIES).optional(),
  direction: z.enum(DIRECTIONS).optional(),
  namespace: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, { error: 'must be lower-case letters, digits and dashes' })
    .optional()
    .meta({ description: 'The setting `default_namespace` when absent' }),
  payload_policy: z.enum(PAYLOAD_POLICIES).optional(),
  payload: JsonValue.optional().meta({ description: 'The event; or `event`, `data`, `request`' }),
  event: JsonValue.optional(),
  data: JsonValue.optional(),
  request: JsonValue.optional(),
  prompt: JsonValue.optional().meta({ description: 'One side of a call; or `input`, `query`' }),
  input: JsonValue.optional(),
  query: JsonValue.optional(),
  response: JsonValue.optional().meta({ description: 'The other side; or `output`, `result`' }),
  output: JsonValue.optional(),
  result: JsonValue.optional(),
  provider: Word.optional(),
  model: Word.optional(),
  latency_ms: z.number().nonnegative().optional(),
  cost_usd: z.number().nonnegative().optional(),
  schema_hint: Word.optional(),
  content_type: Word.optional(),
  adapter_manifest: z.object({ adapter_id: Word, adapter_version: Word }).optional().meta({
    description: 'The manifest that the content fits, by the id and version under which it was found valid',
  }),
  links: z.partialRecord(z.enum(LINK_NAMES), Word).optional(),
})

/**
 * Returns the content of an event: both sides of a call, or the source's own fields; undefined when it has neither.
 */
export function contentOf(event: z.output<typeof EventFields>): JsonObject | undefined {
  const asked = event.prompt ?? event.input ?? event.query
  const answered = event.response ?? event.output ?? event.result
  const own = event.payload ?? event.event ?? event.data ?? event.request
  if (asked !== undefined && answered !== undefined) return { prompt: asked, response: answered }
  if (own === undefined) return undefined
  return isJsonObject(own) ? own : { value: own }
}

/** Body of `POST /v1/account/api-control-center/events`. */
export const IncomingEvent = EventFields.refine((event) => contentOf(event) !== undefined, {
  path: ['payload'],
  error: 'is required, or prompt and response',
}).meta({
  id: 'ControlEventInput',
  override: {
    anyOf: [
      ...['payload', 'event', 'data', 'request'].map((name) => ({ required: [name] })),
      ...['prompt', 'input', 'query'].flatMap((prompt) =>
        ['response', 'output', 'result'].map((response) => ({ required: [prompt, response] })),
      ),
    ],
  },
})

/** An event that a client reports. */
export type IncomingEvent = z.output<typeof IncomingEvent>

/** Answer of `POST /v1/account/api-control-center/events`. */
export const ReceiveControlEventAnswer = z.object({
  observation_id: idOf('evt', 'Id of the event'),
  control_event_envelope: JsonValue,
  receipt: JsonValue.meta({ description: 'rs-1, over the content that is kept and the envelope' }),
  persisted: z.object({
    durable: z.literal(true),
    at: z.iso.datetime(),
    kept_until: z.iso.datetime(),
    content_kept: z.boolean(),
  }),
})
