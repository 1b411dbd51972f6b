import {
  frame,
  isRecord,
  numberIn,
  piecesOf,
  recordAt,
  recordsIn,
  Refusal,
  textAt,
  type Protocol,
  type SpokenAnswer,
} from './protocol.ts'
import { tokensOf, type ScriptedCall } from './scripted-model.ts'
import { strictFault } from './strict-schema.ts'

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant', 'tool'])

const NO_STRUCTURE = { structure: 'none', schema: undefined, schemaName: undefined } as const

/** OpenAI's chat completions, from the server's side. */
export const chatCompletionsProtocol: Protocol = {
  read({ method, path, headers, body }, apiKey) {
    if (headers.authorization !== `Bearer ${apiKey}`) {
      throw new Refusal(401, 'Incorrect API key provided.', 'invalid_api_key')
    }
    if (method !== 'POST' || path !== '/v1/chat/completions') throw new Refusal(404, `Unknown request URL: ${path}`)
    if (!isRecord(body)) throw new Refusal(400, 'We could not parse the JSON body of your request.')
    const { model, messages } = body
    if (typeof model !== 'string') throw new Refusal(400, 'you must provide a model parameter')
    if (!Array.isArray(messages) || messages.length === 0) throw new Refusal(400, "'messages' must not be empty")
    const read = messages.map((message: unknown, i) => {
      const calls = isRecord(message) ? recordsIn(message['tool_calls']) : []
      if (!isRecord(message) || !ROLES.has(message['role']) || !(isContent(message['content']) || calls.length > 0)) {
        throw new Refusal(400, `Invalid value: messages[${i}]`, 'invalid_value')
      }
      if (message['role'] === 'tool' && typeof message['tool_call_id'] !== 'string') {
        throw new Refusal(400, `messages[${i}] needs a tool_call_id`, 'invalid_value')
      }
      return { role: String(message['role']), text: textIn(message['content']), content: message['content'] }
    })
    const format = recordAt(body, 'response_format')
    return {
      model,
      messages: read.map(({ role, text }) => ({ role, text })),
      tools: recordsIn(body['tools']).map((tool) => textAt(tool['function'], 'name')),
      results: read.filter(({ role }) => role === 'tool').map(({ text }) => text),
      images: read.flatMap(({ content }) =>
        recordsIn(content).flatMap((part) => (part['type'] === 'image_url' ? [textAt(part['image_url'], 'url')] : [])),
      ),
      isStreamed: body['stream'] === true,
      temperature: numberIn(body['temperature'], 'temperature', 0, 2),
      maxTokens:
        numberIn(body['max_completion_tokens'], 'max_completion_tokens', 1, 1e6) ??
        numberIn(body['max_tokens'], 'max_tokens', 1, 1e6),
      n: numberIn(body['n'], 'n', 1, 128) ?? 1,
      ...structureOf(format, read),
    }
  },
  write(call, answer) {
    const { texts, finish = 'stop', usage, thinking, calls = [] } = answer
    return {
      id: `chatcmpl-${call.index}`,
      object: 'chat.completion',
      created: 1_700_000_000,
      model: call.model,
      choices: texts.map((text, index) => ({
        index,
        message: {
          role: 'assistant',
          content: finish === 'refusal' ? null : text,
          refusal: finish === 'refusal' ? 'I cannot help with that.' : null,
          ...(thinking !== undefined && { reasoning_content: thinking }),
          ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
        },
        logprobs: null,
        finish_reason: finishReason(answer),
      })),
      ...(usage === null ? {} : { usage: usageOf(call, answer) }),
      system_fingerprint: null,
    }
  },
  frames(call, answer) {
    const { texts, thinking, calls = [], usage } = answer
    const chunk = (choices: readonly object[], more: object = {}): string =>
      frame({
        id: `chatcmpl-${call.index}`,
        object: 'chat.completion.chunk',
        created: 1_700_000_000,
        model: call.model,
        choices,
        ...more,
      })
    const delta = (fields: object, index = 0): string => chunk([{ index, delta: fields, finish_reason: null }])
    const samples = texts.map(piecesOf)
    const longest = Math.max(...samples.map(({ length }) => length))
    const asksForUsage = recordAt(JSON.parse(call.raw), 'stream_options')['include_usage'] === true
    return [
      delta({ role: 'assistant', content: '' }),
      ...piecesOf(thinking ?? '').map((piece) => delta({ reasoning_content: piece })),
      // Samples come piece by piece, side by side.
      ...Array.from({ length: longest }, (_, at) =>
        samples.flatMap((pieces, index) => (pieces[at] === undefined ? [] : [delta({ content: pieces[at] }, index)])),
      ).flat(),
      ...calls.flatMap(({ id, name, input }, index) => [
        delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
        ...piecesOf(JSON.stringify(input)).map((piece) =>
          delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
      ...texts.map((_, index) => chunk([{ index, delta: {}, finish_reason: finishReason(answer) }])),
      ...(asksForUsage && usage !== null ? [chunk([], { usage: usageOf(call, answer) })] : []),
      frame('[DONE]'),
    ]
  },
  errorFrame: (message) => frame({ error: { message, type: 'server_error', param: null, code: null } }),
  writeError: (status, message, code, param) => ({
    error: {
      message,
      type: status === 429 ? 'requests' : 'invalid_request_error',
      param: param ?? null,
      code: code ?? null,
    },
  }),
  headers: (requestId) => ({
    'x-request-id': requestId,
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
  }),
}

function isContent(content: unknown): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.every(isRecord))
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  return recordsIn(content)
    .map((part) => textAt(part, 'text'))
    .join('')
}

function toolCall({ id, name, input }: { readonly id: string; readonly name: string; readonly input: object }) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
}

function finishReason({ finish = 'stop', calls = [] }: SpokenAnswer): string {
  return calls.length > 0 ? 'tool_calls' : finish === 'length' ? 'length' : 'stop'
}

function usageOf(call: ScriptedCall, { texts, usage }: SpokenAnswer): object {
  const prompt = call.messages.map(({ text }) => text).join('\n')
  const counted = usage ?? { input: tokensOf(prompt), output: texts.reduce((sum, text) => sum + tokensOf(text), 0) }
  return {
    prompt_tokens: counted.input,
    completion_tokens: counted.output,
    total_tokens: counted.input + counted.output,
    prompt_tokens_details: { cached_tokens: counted.cached ?? 0 },
  }
}

function structureOf(
  format: Readonly<Record<string, unknown>>,
  messages: readonly { readonly text: string }[],
): Pick<ScriptedCall, 'structure' | 'schema' | 'schemaName'> {
  if (format['type'] === undefined || format['type'] === 'text') return NO_STRUCTURE
  if (format['type'] === 'json_object') {
    if (messages.some(({ text }) => /json/i.test(text))) return { ...NO_STRUCTURE, structure: 'json' }
    throw new Refusal(400, "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'.")
  }
  const { name, schema, strict } = recordAt(format, 'json_schema')
  if (format['type'] !== 'json_schema' || typeof name !== 'string' || !/^[\w-]{1,64}$/.test(name)) {
    throw new Refusal(400, 'Invalid value for response_format')
  }
  const fault = strict === true ? strictFault(schema) : null
  if (fault !== null) {
    throw new Refusal(400, `Invalid schema for response_format '${name}': ${fault}.`, 'invalid_json_schema')
  }
  return { structure: 'schema', schema, schemaName: name }
}
