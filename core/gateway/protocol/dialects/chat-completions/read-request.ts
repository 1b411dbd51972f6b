import { z } from 'zod'
import type { JsonObject } from '../../../../kernel/json/json.ts'
import {
  EFFORTS,
  joinTurns,
  type SaidPart,
  type ModelRequest,
  type OutputFormat,
  type Part,
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

const Content = z
  .union([
    z.string(),
    z.array(
      z.looseObject({
        type: z.string(),
        text: z.string().optional(),
        refusal: z.string().optional(),
        image_url: z.object({ url: z.string() }).optional(),
        file: z.looseObject({ file_data: z.string().nullish(), filename: z.string().nullish() }).optional(),
        input_audio: z.looseObject({ data: z.string(), format: z.string() }).optional(),
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
  top_k: z.number().nullish(),
  seed: z.int().nullish(),
  frequency_penalty: z.number().nullish(),
  presence_penalty: z.number().nullish(),
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
  modalities: z.array(z.string()).nullish(),
})

const UNTRANSLATED: Untranslated = {
  // `stream_options` is read where the stream is written.
  hints: new Set([
    'user',
    'metadata',
    'store',
    'service_tier',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'prediction',
    'verbosity',
    'stream_options',
  ]),
  // Those of OpenAI, then those of compatible servers.
  refused: {
    audio: [],
    function_call: ['none'],
    functions: [],
    logit_bias: [],
    logprobs: [false],
    top_logprobs: [0],
    web_search_options: [],
    bad_words: [],
    chat_template_kwargs: [],
    enable_thinking: [],
    guided_choice: [],
    guided_grammar: [],
    guided_json: [],
    guided_regex: [],
    ignore_eos: [false],
    min_p: [0],
    min_tokens: [0],
    plugins: [],
    reasoning: [],
    repetition_penalty: [1],
    stop_token_ids: [],
    structured_outputs: [],
    thinking: [],
  },
}

/** Reads a request of chat completions. */
export function readRequest(body: JsonObject): ModelRequest {
  const { read, ...unread } = readCaller(Body, body, UNTRANSLATED)
  if (read.modalities?.some((kind) => kind !== 'text')) refuseField('modalities', 'only text is translated')
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
    // vLLM takes -1, and llama.cpp 0, for no bound.
    topK: read.top_k !== null && read.top_k !== undefined && read.top_k > 0 ? read.top_k : undefined,
    seed: read.seed ?? undefined,
    frequencyPenalty: read.frequency_penalty ?? undefined,
    presencePenalty: read.presence_penalty ?? undefined,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    format: formatOf(read.response_format),
    reasoning: read.reasoning_effort ? { kind: 'effort', effort: read.reasoning_effort } : undefined,
    n: read.n ?? 1,
    isStreamed: read.stream ?? false,
    ...unread,
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
      return [{ role: 'user', parts: [{ kind: 'tool_result', callId, content: resultOf(parts), isError: false }] }]
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

function partsOf(content: z.output<typeof Content>, field: string): readonly SaidPart[] {
  if (content === null || content === undefined || content === '') return []
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  return content.map(({ type, text, refusal, image_url: image, file, input_audio: sound }, i) => {
    if (type === 'text' && text !== undefined) return { kind: 'text', text }
    if (type === 'refusal' && refusal !== undefined) return { kind: 'text', text: refusal }
    if (type === 'image_url' && image !== undefined) return imageUrl(image.url, `${field}[${i}].image_url.url`)
    if (type === 'file' && file?.file_data) {
      return fileData(file.file_data, { field: `${field}[${i}].file.file_data`, name: file.filename ?? undefined })
    }
    if (type === 'input_audio' && sound) return audioData(sound.format, sound.data, `${field}[${i}].input_audio.data`)
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
