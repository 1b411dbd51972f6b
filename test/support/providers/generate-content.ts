import { isRecord, numberIn, recordAt, Refusal, type Protocol } from './protocol.ts'
import { tokensOf } from './scripted-model.ts'

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

/** Google's generate-content, from the server's side. */
export const generateContentProtocol: Protocol = {
  read({ method, path, headers, body }, apiKey) {
    if (headers['x-goog-api-key'] !== apiKey) throw new Refusal(400, 'API key not valid.', 'API_KEY_INVALID')
    const model = /^\/v1(?:beta)?\/models\/([^/:]+):generateContent$/.exec(path)?.[1]
    if (method !== 'POST' || model === undefined) throw new Refusal(404, 'Requested entity was not found.')
    if (!isRecord(body)) throw new Refusal(400, 'Invalid JSON payload received.')
    const config = recordAt(body, 'generationConfig')
    const { responseMimeType, responseJsonSchema } = config
    if (responseJsonSchema !== undefined && responseMimeType !== 'application/json') {
      throw new Refusal(400, 'responseJsonSchema needs responseMimeType application/json.')
    }
    if (JSON.stringify(responseJsonSchema ?? null).includes('"$ref":')) {
      throw new Refusal(400, 'The specified schema produces a constraint that has too much branching for serving.')
    }
    const { contents } = body
    if (!Array.isArray(contents) || contents.length === 0) throw new Refusal(400, 'contents is not specified')
    const system = textOf(body['systemInstruction'])
    return {
      model: decodeURIComponent(model),
      messages: [
        ...(system === '' ? [] : [{ role: 'system', text: system }]),
        ...contents.map((content: unknown) => {
          const role = isRecord(content) ? content['role'] : undefined
          if (role !== undefined && role !== 'user' && role !== 'model') {
            throw new Refusal(400, 'Please use a valid role: user, model.')
          }
          return { role: role === 'model' ? 'assistant' : 'user', text: textOf(content) }
        }),
      ],
      temperature: numberIn(config['temperature'], 'temperature', 0, 2),
      maxTokens: numberIn(config['maxOutputTokens'], 'maxOutputTokens', 1, 1e6),
      n: numberIn(config['candidateCount'], 'candidateCount', 1, 8) ?? 1,
      structure:
        responseJsonSchema !== undefined ? 'schema' : responseMimeType === 'application/json' ? 'json' : 'none',
      schema: responseJsonSchema,
      schemaName: undefined,
    }
  },
  write(call, { texts, finish = 'stop', usage }) {
    const prompt = call.messages.map(({ text }) => text).join('\n')
    const counted = usage ?? { input: tokensOf(prompt), output: texts.reduce((sum, text) => sum + tokensOf(text), 0) }
    const finishReason = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' }[finish]
    return {
      candidates: texts.map((text, index) => ({
        index,
        ...(finish === 'refusal' ? {} : { content: { role: 'model', parts: [{ text }] } }),
        finishReason,
      })),
      modelVersion: call.model,
      responseId: `resp-${call.index}`,
      ...(usage === null
        ? {}
        : {
            usageMetadata: {
              promptTokenCount: counted.input,
              candidatesTokenCount: counted.output,
              totalTokenCount: counted.input + counted.output,
              ...(counted.cached === undefined ? {} : { cachedContentTokenCount: counted.cached }),
            },
          }),
    }
  },
  writeError: (status, message, code) => ({
    error: {
      code: status,
      message,
      status: STATUSES[status] ?? 'UNKNOWN',
      ...(code === undefined
        ? {}
        : { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code }] }),
    },
  }),
  headers: () => ({}),
}

function textOf(content: unknown): string {
  const parts: readonly unknown[] = isRecord(content) && Array.isArray(content['parts']) ? content['parts'] : []
  return parts.map((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('')
}
