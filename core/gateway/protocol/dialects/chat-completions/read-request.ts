import { z } from 'zod'
import type { JsonObject } from '../../../../kernel/json/json.ts'
import {
  EFFORTS,
  joinTurns,
  type ImagePart,
  type ModelRequest,
  type OutputFormat,
  type Part,
  type TextPart,
  type Turn,
} from '../../exchange/request.ts'
import { AnyObject, imageUrl, readCaller, refuseField } from '../fields.ts'

const Content = z
  .union([
    z.string(),
    z.array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        refusal: z.string().optional(),
        image_url: z.object({ url: z.string() }).optional(),
      }),
    ),
  ])
  .nullish()

const ToolCall = z.object({
  id: z.string(),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

const Body = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
        content: Content,
        tool_calls: z.array(ToolCall).nullish(),
        tool_call_id: z.string().optional(),
      }),
    )
    .min(1),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  temperature: z.number().nullish(),
  top_p: z.number().nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.int().min(1).max(128).nullish(),
  stream: z.boolean().nullish(),
  tools: z
    .array(
      z.object({
        type: z.string(),
        function: z
          .object({
            name: z.string(),
            description: z.string().nullish(),
            parameters: AnyObject.optional(),
            strict: z.boolean().nullish(),
          })
          .optional(),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.looseObject({ type: z.string(), function: z.object({ name: z.string() }).optional() }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .looseObject({
      type: z.string(),
      json_schema: z
        .object({ name: z.string(), schema: AnyObject.optional(), strict: z.boolean().nullish() })
        .optional(),
    })
    .nullish(),
  reasoning_effort: z.enum(EFFORTS).nullish(),
})

/** Reads a request of chat completions. */
export function readRequest(body: JsonObject): ModelRequest {
  const read = readCaller(Body, body)
  const system = read.messages.flatMap(({ role, content }, i) =>
    role === 'system' || role === 'developer' ? [textOnly(content, `messages[${i}].content`)] : [],
  )
  const { stop, tool_choice: choice } = read
  return {
    model: read.model,
    system,
    turns: joinTurns(read.messages.flatMap((message, i) => turnOf(message, `messages[${i}]`))),
    tools: (read.tools ?? []).map(({ type, function: tool }, i) => {
      if (type !== 'function' || tool === undefined) return refuseField(`tools[${i}].type`, `${type} is not translated`)
      return {
        name: tool.name,
        description: tool.description ?? undefined,
        schema: tool.parameters ?? { type: 'object', properties: {} },
        isStrict: tool.strict ?? undefined,
      }
    }),
    toolChoice:
      choice === null || choice === undefined || typeof choice === 'string'
        ? (choice ?? undefined)
        : { name: choice.function?.name ?? refuseField('tool_choice.type', `${choice.type} is not translated`) },
    allowsParallelCalls: read.parallel_tool_calls ?? undefined,
    maxTokens: read.max_completion_tokens ?? read.max_tokens ?? undefined,
    temperature: read.temperature ?? undefined,
    topP: read.top_p ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    format: formatOf(read.response_format),
    reasoning: read.reasoning_effort ? { kind: 'effort', effort: read.reasoning_effort } : undefined,
    n: read.n ?? 1,
    isStreamed: read.stream ?? false,
  }
}

function turnOf(message: z.output<typeof Body>['messages'][number], field: string): readonly Turn[] {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message
  switch (role) {
    case 'system':
    case 'developer':
      return []
    case 'tool': {
      if (callId === undefined) return refuseField(`${field}.tool_call_id`, 'is required')
      const parts = partsOf(content, `${field}.content`)
      return [{ role: 'user', parts: [{ kind: 'tool_result', callId, content: parts, isError: false }] }]
    }
    case 'user':
      return [{ role, parts: partsOf(content, `${field}.content`) }]
    case 'assistant': {
      const called = (calls ?? []).map(({ id, function: { name, arguments: text } }): Part => ({
        kind: 'tool_call',
        id,
        name,
        arguments: text,
      }))
      return [{ role, parts: [...partsOf(content, `${field}.content`), ...called] }]
    }
  }
}

function partsOf(content: z.output<typeof Content>, field: string): readonly (TextPart | ImagePart)[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return content.map(({ type, text, refusal, image_url: image }, i) => {
    if (type === 'text' && text !== undefined) return { kind: 'text', text }
    if (type === 'refusal' && refusal !== undefined) return { kind: 'text', text: refusal }
    if (type === 'image_url' && image !== undefined) return imageUrl(image.url, `${field}[${i}].image_url.url`)
    return refuseField(`${field}[${i}].type`, `${type} is not translated for this provider`)
  })
}

function textOnly(content: z.output<typeof Content>, field: string): string {
  return partsOf(content, field)
    .map((part, i) => (part.kind === 'text' ? part.text : refuseField(`${field}[${i}].type`, 'must be text')))
    .join('')
}

function formatOf(format: z.output<typeof Body>['response_format']): OutputFormat | undefined {
  if (format?.type === 'json_object') return { kind: 'json' }
  if (format?.type !== 'json_schema') return undefined
  const { json_schema: named } = format
  if (named?.schema === undefined) return refuseField('response_format.json_schema.schema', 'is required')
  return { kind: 'schema', name: named.name, schema: named.schema, isStrict: named.strict ?? undefined }
}
