import { isRecord, numberIn, recordAt, Refusal, type Protocol } from './protocol.ts'
import { tokensOf } from './scripted-model.ts'

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
      if (typeof message['content'] !== 'string' || message['content'] === '') {
        throw new Refusal(400, `messages.${i}: text content blocks must be non-empty`)
      }
      return { role: message['role'], text: message['content'] }
    })
    if (read[0]?.role !== 'user') throw new Refusal(400, "messages: first message must use the 'user' role")
    const forced = recordAt(body, 'tool_choice')
    const tools: readonly unknown[] = Array.isArray(body['tools']) ? body['tools'] : []
    const tool = tools.find((one) => isRecord(one) && one['name'] === forced['name'])
    if (forced['type'] === 'tool' && tool === undefined) {
      throw new Refusal(400, `tool_choice.name: no tool named '${String(forced['name'])}' found in tools`)
    }
    const input = recordAt(tool, 'input_schema')
    if (tool !== undefined && input['type'] !== 'object') {
      throw new Refusal(400, "tools.0.input_schema.type: Input should be 'object'")
    }
    return {
      model,
      messages: [...(typeof system === 'string' ? [{ role: 'system', text: system }] : []), ...read],
      temperature: numberIn(body['temperature'], 'temperature', 0, 1),
      maxTokens: numberIn(body['max_tokens'], 'max_tokens', 1, 1e6),
      n: 1,
      structure: tool === undefined ? 'none' : 'schema',
      schema: tool === undefined ? undefined : input,
      schemaName: tool === undefined ? undefined : String(forced['name']),
    }
  },
  write(call, { texts, finish = 'stop', usage }) {
    const text = texts[0] ?? ''
    const prompt = call.messages.map((message) => message.text).join('\n')
    const counted = usage ?? { input: tokensOf(prompt), output: tokensOf(text) }
    const cached = counted.cached ?? 0
    const isTool = call.structure === 'schema' && finish === 'stop'
    return {
      id: `msg_${call.index}`,
      type: 'message',
      role: 'assistant',
      model: call.model,
      content: isTool
        ? [{ type: 'tool_use', id: `toolu_${call.index}`, name: call.schemaName, input: JSON.parse(text) }]
        : finish === 'refusal'
          ? []
          : [{ type: 'text', text }],
      stop_reason: isTool ? 'tool_use' : { stop: 'end_turn', length: 'max_tokens', refusal: 'refusal' }[finish],
      stop_sequence: null,
      ...(usage === null
        ? {}
        : {
            usage: {
              input_tokens: counted.input - cached,
              cache_read_input_tokens: cached,
              cache_creation_input_tokens: 0,
              output_tokens: counted.output,
            },
          }),
    }
  },
  writeError: (status, message) => ({
    type: 'error',
    error: { type: ERROR_TYPES[status] ?? 'api_error', message },
    request_id: 'req_test',
  }),
  headers: (requestId) => ({ 'request-id': requestId, 'anthropic-ratelimit-requests-remaining': '49' }),
}
