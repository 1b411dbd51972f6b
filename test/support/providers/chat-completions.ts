import { isRecord, numberIn, recordAt, Refusal, type Protocol } from './protocol.ts'
import { tokensOf, type ScriptedCall } from './scripted-model.ts'
import { strictFault } from './strict-schema.ts'

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer', 'user', 'assistant'])

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
      if (!isRecord(message) || !ROLES.has(message['role']) || typeof message['content'] !== 'string') {
        throw new Refusal(400, `Invalid value: messages[${i}]`, 'invalid_value')
      }
      return { role: String(message['role']), text: message['content'] }
    })
    const format = recordAt(body, 'response_format')
    return {
      model,
      messages: read,
      temperature: numberIn(body['temperature'], 'temperature', 0, 2),
      maxTokens:
        numberIn(body['max_completion_tokens'], 'max_completion_tokens', 1, 1e6) ??
        numberIn(body['max_tokens'], 'max_tokens', 1, 1e6),
      n: numberIn(body['n'], 'n', 1, 128) ?? 1,
      ...structureOf(format, read),
    }
  },
  write(call, { texts, finish = 'stop', usage }) {
    const prompt = call.messages.map(({ text }) => text).join('\n')
    const counted = usage ?? { input: tokensOf(prompt), output: texts.reduce((sum, text) => sum + tokensOf(text), 0) }
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
        },
        logprobs: null,
        finish_reason: finish === 'length' ? 'length' : 'stop',
      })),
      ...(usage === null
        ? {}
        : {
            usage: {
              prompt_tokens: counted.input,
              completion_tokens: counted.output,
              total_tokens: counted.input + counted.output,
              prompt_tokens_details: { cached_tokens: counted.cached ?? 0 },
            },
          }),
      system_fingerprint: null,
    }
  },
  writeError: (status, message, code) => ({
    error: { message, type: status === 429 ? 'requests' : 'invalid_request_error', param: null, code: code ?? null },
  }),
  headers: (requestId) => ({
    'x-request-id': requestId,
    'x-ratelimit-limit-requests': '500',
    'x-ratelimit-remaining-requests': '499',
  }),
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
