import { z } from 'zod'
import type { JsonObject } from '../../../../kernel/json/json.ts'
import {
  EFFORTS,
  joinTurns,
  type FilePart,
  type ImagePart,
  type ModelRequest,
  type Part,
  type Reasoning,
  type TextPart,
  type ToolChoice,
} from '../../exchange/request.ts'
import {
  AnyJson,
  AnyObject,
  fileData,
  imageData,
  imageUrl,
  readCaller,
  refuseField,
  type Untranslated,
} from '../fields.ts'

const Source = z.looseObject({
  type: z.string(),
  media_type: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
})

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  source: Source.optional(),
  title: z.string().nullish(),
  citations: z.looseObject({ enabled: z.boolean().optional() }).nullish(),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  data: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: AnyJson.optional(),
  tool_use_id: z.string().optional(),
  is_error: z.boolean().optional(),
  content: z
    .union([
      z.string(),
      z.array(z.looseObject({ type: z.string(), text: z.string().optional(), source: Source.optional() })),
    ])
    .optional(),
})

const Format = z.looseObject({ type: z.string(), schema: AnyObject }).nullish()

const Body = z.looseObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  system: z.union([z.string(), z.array(z.looseObject({ type: z.literal('text'), text: z.string() }))]).optional(),
  messages: z
    .array(z.looseObject({ role: z.enum(['user', 'assistant']), content: z.union([z.string(), z.array(Block)]) }))
    .min(1),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  top_k: z.number().optional(),
  stop_sequences: z.array(z.string()).optional(),
  stream: z.boolean().optional(),
  tools: z
    .array(
      z.looseObject({
        type: z.string().nullish(),
        name: z.string(),
        description: z.string().optional(),
        input_schema: AnyObject.optional(),
        strict: z.boolean().optional(),
      }),
    )
    .optional(),
  tool_choice: z
    .looseObject({
      type: z.enum(['auto', 'any', 'tool', 'none']),
      name: z.string().optional(),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .optional(),
  thinking: z.looseObject({ type: z.string(), budget_tokens: z.int().optional() }).optional(),
  output_config: z.looseObject({ format: Format, effort: z.enum([...EFFORTS, 'max']).nullish() }).optional(),
  output_format: Format,
})

const UNTRANSLATED: Untranslated = {
  hints: new Set(['metadata', 'service_tier', 'cache_control', 'context_management', 'inference_geo', 'speed']),
  refused: { container: [], mcp_servers: [] },
}

/** Reads a request of messages. */
export function readRequest(body: JsonObject): ModelRequest {
  const { read, ...unread } = readCaller(Body, body, UNTRANSLATED)
  const { system, tool_choice: choice, output_config: output } = read
  const format = output?.format ?? read.output_format
  return {
    model: read.model,
    system: system === undefined ? [] : typeof system === 'string' ? [system] : system.map(({ text }) => text),
    turns: joinTurns(
      read.messages.map(({ role, content }, i) => ({
        role,
        parts:
          typeof content === 'string'
            ? [{ kind: 'text', text: content }]
            : content.map((block, j) => partOf(block, `messages[${i}].content[${j}]`)),
      })),
    ),
    tools: (read.tools ?? []).map(({ type, name, description, input_schema: schema, strict }, i) => {
      if ((type ?? 'custom') !== 'custom') return refuseField(`tools[${i}].type`, `${type} is not translated`)
      return { name, description, schema: schema ?? { type: 'object', properties: {} }, isStrict: strict }
    }),
    toolChoice: choice === undefined ? undefined : choiceOf(choice),
    allowsParallelCalls: choice?.disable_parallel_tool_use === true ? false : undefined,
    maxTokens: read.max_tokens,
    temperature: read.temperature,
    topP: read.top_p,
    topK: read.top_k,
    stop: read.stop_sequences ?? [],
    format: format ? { kind: 'schema', name: 'answer', schema: format.schema } : undefined,
    reasoning: reasoningOf(read),
    n: 1,
    isStreamed: read.stream ?? false,
    ...unread,
  }
}

/**
 * The model chooses the amount of reasoning unless the caller names a budget or an effort. An effort without `thinking` is
 * one of the whole answer: it asks for reasoning only of models that reason.
 */
function reasoningOf({ thinking, output_config: output }: z.output<typeof Body>): Reasoning | undefined {
  if (thinking?.type === 'enabled') return { kind: 'budget', tokens: thinking.budget_tokens ?? 1024 }
  if (!output?.effort || thinking?.type === 'disabled') return undefined
  const effort = output.effort === 'max' ? 'high' : output.effort
  return { kind: 'effort', effort, ...(thinking?.type !== 'adaptive' && { onlyIfReasoning: 'output_config.effort' }) }
}

function choiceOf({ type, name }: { readonly type: string; readonly name?: string | undefined }): ToolChoice {
  if (type === 'tool') return name === undefined ? refuseField('tool_choice.name', 'is required') : { name }
  return type === 'any' ? 'required' : type === 'none' ? 'none' : 'auto'
}

function partOf(block: z.output<typeof Block>, field: string): Part {
  const { type, id, name, tool_use_id: callId } = block
  switch (type) {
    case 'text':
    case 'image':
      return plainPart(block, field)
    case 'document':
      return documentPart(block, field)
    case 'thinking':
      return { kind: 'thinking', text: block.thinking ?? '', signature: block.signature || undefined }
    case 'redacted_thinking':
      return { kind: 'sealed_thinking', data: block.data ?? '' }
    case 'tool_use':
      if (id === undefined || name === undefined) return refuseField(field, 'needs id and name')
      return { kind: 'tool_call', id, name, arguments: JSON.stringify(block.input ?? {}) }
    case 'tool_result': {
      if (callId === undefined) return refuseField(`${field}.tool_use_id`, 'is required')
      const { content = [] } = block
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      return {
        kind: 'tool_result',
        callId,
        content: parts.map((part, i) => plainPart(part, `${field}.content[${i}]`)),
        isError: block.is_error ?? false,
      }
    }
    default:
      return refuseField(`${field}.type`, `${type} is not translated for this provider`)
  }
}

/** A document: a PDF as bytes, or a text. Its citations have no counterpart. */
function documentPart({ source, title, citations }: z.output<typeof Block>, field: string): FilePart | TextPart {
  if (citations?.enabled === true) return refuseField(`${field}.citations`, 'is not translated for this provider')
  const { type, media_type: mediaType = '', data = '' } = source ?? { type: '' }
  if (type === 'text') return { kind: 'text', text: data }
  if (type !== 'base64') return refuseField(`${field}.source.type`, `${type} is not translated for this provider`)
  return fileData(data, { field: `${field}.source.data`, mediaType, name: title ?? undefined })
}

function plainPart(
  { type, text, source }: Pick<z.output<typeof Block>, 'type' | 'text' | 'source'>,
  field: string,
): TextPart | ImagePart {
  if (type === 'text' && text !== undefined) return { kind: 'text', text }
  if (type === 'image' && source?.type === 'base64') {
    return imageData(source.media_type ?? '', source.data ?? '', `${field}.source.data`)
  }
  if (type === 'image' && source?.type === 'url') return imageUrl(source.url ?? '', `${field}.source.url`)
  return refuseField(`${field}.type`, `${type} is not translated for this provider`)
}
