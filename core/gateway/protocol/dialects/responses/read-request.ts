import { z } from 'zod'
import type { JsonObject } from '../../../../kernel/json/json.ts'
import {
  EFFORTS,
  joinTurns,
  type SaidPart,
  type ModelRequest,
  type OutputFormat,
  type Turn,
} from '../../exchange/request.ts'
import {
  AnyObject,
  audioData,
  fileData,
  imageUrl,
  readCaller,
  refuseField,
  resultOf,
  type Untranslated,
} from '../fields.ts'

const Content = z.union([
  z.string(),
  z.array(
    z.looseObject({
      type: z.string(),
      text: z.string().optional(),
      refusal: z.string().optional(),
      image_url: z.string().nullish(),
      file_data: z.string().nullish(),
      filename: z.string().nullish(),
      input_audio: z.looseObject({ data: z.string(), format: z.string() }).optional(),
    }),
  ),
])

const Item = z.looseObject({
  type: z.string().default('message'),
  role: z.enum(['system', 'developer', 'user', 'assistant']).optional(),
  content: Content.nullish(),
  call_id: z.string().optional(),
  name: z.string().optional(),
  arguments: z.string().optional(),
  output: Content.optional(),
})

const Body = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(Item)]),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.looseObject({
        type: z.string(),
        name: z.string().optional(),
        description: z.string().nullish(),
        parameters: AnyObject.nullish(),
        strict: z.boolean().nullish(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'required']), z.looseObject({ type: z.string(), name: z.string().optional() })])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .looseObject({
      format: z
        .looseObject({
          type: z.string(),
          name: z.string().optional(),
          schema: AnyObject.optional(),
          strict: z.boolean().nullish(),
        })
        .nullish(),
    })
    .nullish(),
  reasoning: z.looseObject({ effort: z.enum(EFFORTS).nullish() }).nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  background: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
})

const UNTRANSLATED: Untranslated = {
  // `max_tool_calls` bounds OpenAI's own tools; `text.verbosity` is a hint too.
  hints: new Set([
    'user',
    'metadata',
    'store',
    'service_tier',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'truncation',
    'context_management',
    'max_tool_calls',
    'stream_options',
    'verbosity',
  ]),
  refused: { top_logprobs: [0] },
}
const LOGPROBS = 'message.output_text.logprobs'

/** Reads a request of responses. What OpenAI keeps between calls has no counterpart elsewhere. */
export function readRequest(body: JsonObject): ModelRequest {
  const { read, ...unread } = readCaller(Body, body, UNTRANSLATED)
  const { input, instructions, tool_choice: choice } = read
  for (const field of ['previous_response_id', 'conversation', 'prompt'] as const) {
    if (read[field] !== null && read[field] !== undefined) refuseField(field, 'is known to OpenAI only: send the input')
  }
  if (read.include?.includes(LOGPROBS)) refuseField('include', `${LOGPROBS} is not translated`)
  if (read.background === true) refuseField('background', 'is not available at this provider')
  const items = typeof input === 'string' ? [{ type: 'message', role: 'user' as const, content: input }] : input
  const system = items.flatMap((item, i) =>
    item.role === 'system' || item.role === 'developer' ? [textOnly(item.content, `input[${i}].content`)] : [],
  )
  return {
    model: read.model,
    system: [...(instructions ? [instructions] : []), ...system],
    turns: joinTurns(items.flatMap((item, i) => turnOf(item, `input[${i}]`))),
    tools: (read.tools ?? []).map(({ type, name, description, parameters, strict }, i) => {
      if (type !== 'function' || name === undefined) return refuseField(`tools[${i}].type`, `${type} is not translated`)
      return {
        name,
        description: description ?? undefined,
        schema: parameters ?? { type: 'object', properties: {} },
        isStrict: strict ?? undefined,
      }
    }),
    toolChoice:
      choice === null || choice === undefined || typeof choice === 'string'
        ? (choice ?? undefined)
        : { name: choice.name ?? refuseField('tool_choice.type', `${choice.type} is not translated`) },
    allowsParallelCalls: read.parallel_tool_calls ?? undefined,
    maxTokens: read.max_output_tokens ?? undefined,
    temperature: read.temperature ?? undefined,
    topP: read.top_p ?? undefined,
    stop: [],
    format: formatOf(read.text?.format),
    reasoning: read.reasoning?.effort ? { kind: 'effort', effort: read.reasoning.effort } : undefined,
    n: 1,
    isStreamed: read.stream ?? false,
    ...unread,
  }
}

function turnOf(item: z.output<typeof Item>, field: string): readonly Turn[] {
  const { type, role, call_id: callId, name } = item
  switch (type) {
    case 'message':
      if (role === undefined) return refuseField(`${field}.role`, 'is required')
      if (role === 'system' || role === 'developer') return []
      return [{ role, parts: partsOf(item.content, `${field}.content`) }]
    case 'function_call':
      if (callId === undefined || name === undefined) return refuseField(field, 'needs call_id and name')
      return [
        { role: 'assistant', parts: [{ kind: 'tool_call', id: callId, name, arguments: item.arguments ?? '{}' }] },
      ]
    case 'function_call_output':
      if (callId === undefined) return refuseField(`${field}.call_id`, 'is required')
      return [
        {
          role: 'user',
          parts: [
            { kind: 'tool_result', callId, content: resultOf(partsOf(item.output, `${field}.output`)), isError: false },
          ],
        },
      ]
    case 'reasoning':
      // Sealed by OpenAI for its own models.
      return []
    default:
      return refuseField(`${field}.type`, `${type} is not translated for this provider`)
  }
}

function partsOf(content: z.output<typeof Content> | null | undefined, field: string): readonly SaidPart[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return content.map(({ type, text, refusal, image_url: url, file_data: file, filename, input_audio: sound }, i) => {
    if ((type === 'input_text' || type === 'output_text') && text !== undefined) return { kind: 'text', text }
    if (type === 'refusal' && refusal !== undefined) return { kind: 'text', text: refusal }
    if (type === 'input_image' && url) return imageUrl(url, `${field}[${i}].image_url`)
    if (type === 'input_file' && file) {
      return fileData(file, { field: `${field}[${i}].file_data`, name: filename ?? undefined })
    }
    if (type === 'input_audio' && sound) return audioData(sound.format, sound.data, `${field}[${i}].input_audio.data`)
    return refuseField(`${field}[${i}].type`, `${type} is not translated for this provider`)
  })
}

function textOnly(content: z.output<typeof Content> | null | undefined, field: string): string {
  return partsOf(content, field)
    .map((part, i) => (part.kind === 'text' ? part.text : refuseField(`${field}[${i}].type`, 'must be text')))
    .join('')
}

function formatOf(format: NonNullable<z.output<typeof Body>['text']>['format']): OutputFormat | undefined {
  if (format?.type === 'json_object') return { kind: 'json' }
  if (format?.type !== 'json_schema') return undefined
  if (format.schema === undefined) return refuseField('text.format.schema', 'is required')
  return { kind: 'schema', name: format.name ?? 'answer', schema: format.schema, isStrict: format.strict ?? undefined }
}
