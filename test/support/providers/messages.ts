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

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
}

/** Anthropic's messages, from the server's side. */
export const messagesProtocol: Protocol = {
  read({ method, path, headers, body }, apiKey) {
    const key = headers['x-api-key'] ?? headers.authorization?.replace(/^Bearer /, '')
    if (key !== apiKey) throw new Refusal(401, 'invalid x-api-key')
    if (method !== 'POST' || path !== '/v1/messages') throw new Refusal(404, 'Not found')
    const version = headers['anthropic-version']
    if (version !== '2023-06-01' && version !== '2026-10-21') {
      throw new Refusal(400, 'anthropic-version: header is required')
    }
    if (!isRecord(body)) throw new Refusal(400, 'The request body is not valid JSON')
    if (version === '2026-10-21' && body['temperature'] !== undefined) {
      throw new Refusal(400, 'temperature: Extra inputs are not permitted')
    }
    const { model, messages, system } = body
    if (typeof model !== 'string') throw new Refusal(400, 'model: Field required')
    if (body['max_tokens'] === undefined) throw new Refusal(400, 'max_tokens: Field required')
    if (!Array.isArray(messages) || messages.length === 0) {
      throw new Refusal(400, 'messages: at least one message is required')
    }
    const read = messages.map((message: unknown, i) => {
      if (!isRecord(message) || (message['role'] !== 'user' && message['role'] !== 'assistant')) {
        throw new Refusal(400, `messages.${i}.role: Input should be 'user' or 'assistant'`)
      }
      const { content } = message
      const blocks = recordsIn(content)
      if ((typeof content !== 'string' || content === '') && blocks.length === 0) {
        throw new Refusal(400, `messages.${i}: text content blocks must be non-empty`)
      }
      const text = typeof content === 'string' ? content : blocks.map((block) => textAt(block, 'text')).join('')
      return { role: String(message['role']), text, blocks }
    })
    if (read[0]?.role !== 'user') throw new Refusal(400, "messages: first message must use the 'user' role")
    for (const [i, { blocks }] of read.entries()) {
      const called = new Set((read[i - 1]?.blocks ?? []).map(({ id }) => id))
      for (const { type, tool_use_id: id } of blocks) {
        if (type === 'tool_result' && !called.has(id)) {
          throw new Refusal(400, `messages.${i}: unexpected tool_use_id found in tool_result blocks`)
        }
      }
    }
    const forced = recordAt(body, 'tool_choice')
    const tools = recordsIn(body['tools'])
    const tool = tools.find(({ name }) => name === forced['name'])
    if (forced['type'] === 'tool' && tool === undefined) {
      throw new Refusal(400, `tool_choice.name: no tool named '${String(forced['name'])}' found in tools`)
    }
    const input = recordAt(tool, 'input_schema')
    if (tool !== undefined && input['type'] !== 'object') {
      throw new Refusal(400, "tools.0.input_schema.type: Input should be 'object'")
    }
    return {
      model,
      messages: [
        ...(typeof system === 'string' ? [{ role: 'system', text: system }] : []),
        ...read.map(({ role, text }) => ({ role, text })),
      ],
      tools: tools.map(({ name }) => String(name)),
      results: read.flatMap(({ blocks }) =>
        blocks.flatMap((block) =>
          block['type'] === 'tool_result'
            ? [
                recordsIn(block['content'])
                  .map((part) => textAt(part, 'text'))
                  .join(''),
              ]
            : [],
        ),
      ),
      images: read.flatMap(({ blocks }) =>
        blocks.flatMap((block) => {
          const { type, url, media_type: media, data } = recordAt(block, 'source')
          if (block['type'] !== 'image') return []
          return [type === 'url' ? String(url) : `data:${String(media)};base64,${String(data)}`]
        }),
      ),
      isStreamed: body['stream'] === true,
      temperature: numberIn(body['temperature'], 'temperature', 0, 1),
      maxTokens: numberIn(body['max_tokens'], 'max_tokens', 1, 1e6),
      n: 1,
      structure: tool === undefined ? 'none' : 'schema',
      schema: tool === undefined ? undefined : input,
      schemaName: tool === undefined ? undefined : String(forced['name']),
    }
  },
  frames(call, answer) {
    const { texts, thinking, usage } = answer
    const blocks = contentOf(call, answer)
    const send = (type: string, fields: object): string => frame({ type, ...fields }, type)
    return [
      send('message_start', {
        message: {
          id: `msg_${call.index}`,
          type: 'message',
          role: 'assistant',
          model: call.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...usageOf(call, answer), output_tokens: 1 },
        },
      }),
      send('ping', {}),
      ...blocks.flatMap((block, index) => {
        const delta = (fields: object): string => send('content_block_delta', { index, delta: fields })
        const empty =
          'input' in block
            ? { ...block, input: {} }
            : 'thinking' in block
              ? { ...block, thinking: '' }
              : { ...block, text: '' }
        const pieces =
          'input' in block
            ? piecesOf(JSON.stringify(block.input)).map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
            : 'thinking' in block
              ? [
                  ...piecesOf(thinking ?? '').map((piece) => ({ type: 'thinking_delta', thinking: piece })),
                  { type: 'signature_delta', signature: block.signature },
                ]
              : piecesOf(texts[0] ?? '').map((piece) => ({ type: 'text_delta', text: piece }))
        return [
          send('content_block_start', { index, content_block: empty }),
          ...pieces.map(delta),
          send('content_block_stop', { index }),
        ]
      }),
      send('message_delta', {
        delta: { stop_reason: stopReason(call, answer), stop_sequence: null },
        ...(usage !== null && { usage: usageOf(call, answer) }),
      }),
      send('message_stop', {}),
    ]
  },
  errorFrame: (message) => frame({ type: 'error', error: { type: 'overloaded_error', message } }, 'error'),
  write(call, answer) {
    return {
      id: `msg_${call.index}`,
      type: 'message',
      role: 'assistant',
      model: call.model,
      content: contentOf(call, answer),
      stop_reason: stopReason(call, answer),
      stop_sequence: null,
      ...(answer.usage === null ? {} : { usage: usageOf(call, answer) }),
    }
  },
  writeError: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_test',
  }),
  headers: (requestId) => ({ 'request-id': requestId, 'anthropic-ratelimit-requests-remaining': '49' }),
}

type Block =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: unknown }

function isAnswerTool({ structure }: ScriptedCall, { finish = 'stop', calls = [] }: SpokenAnswer): boolean {
  return structure === 'schema' && finish === 'stop' && calls.length === 0
}

function contentOf(call: ScriptedCall, answer: SpokenAnswer): readonly Block[] {
  const { texts, finish = 'stop', thinking, calls = [] } = answer
  const text = texts[0] ?? ''
  if (isAnswerTool(call, answer)) {
    const input: unknown = JSON.parse(text)
    return [{ type: 'tool_use', id: `toolu_${call.index}`, name: call.schemaName ?? '', input }]
  }
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking' as const, thinking, signature: 'signed-by-the-provider' }]),
    ...(finish === 'refusal' || text === '' ? [] : [{ type: 'text' as const, text }]),
    ...calls.map((made) => ({ type: 'tool_use' as const, ...made })),
  ]
}

function stopReason(call: ScriptedCall, answer: SpokenAnswer): string {
  const { finish = 'stop', calls = [] } = answer
  if (isAnswerTool(call, answer) || calls.length > 0) return 'tool_use'
  return { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' }[finish]
}

function usageOf(call: ScriptedCall, { texts, usage }: SpokenAnswer): object {
  const prompt = call.messages.map(({ text }) => text).join('\n')
  const counted = usage ?? { input: tokensOf(prompt), output: tokensOf(texts[0] ?? '') }
  const cached = counted.cached ?? 0
  return {
    input_tokens: counted.input - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: counted.output,
  }
}
