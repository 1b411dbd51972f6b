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
    const [, model, how] = /^\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? []
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
    const isBeforeThree = /^gemini-(?:[12]\b|flash-latest$)/.test(decodeURIComponent(model))
    if (isBeforeThree && responseMimeType === 'application/json' && recordsIn(body['tools']).length > 0) {
      throw new Refusal(400, "Function calling with a response mime type: 'application/json' is unsupported")
    }
    const { contents } = body
    if (!Array.isArray(contents) || contents.length === 0) throw new Refusal(400, 'contents is not specified')
    const system = textOf(body['systemInstruction'])
    const parts = recordsIn(contents).flatMap((content) => recordsIn(content['parts']))
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
      tools: recordsIn(body['tools']).flatMap((tool) =>
        recordsIn(tool['functionDeclarations']).map((one) => textAt(one, 'name')),
      ),
      results: parts.flatMap((part) =>
        isRecord(part['functionResponse']) ? [JSON.stringify(part['functionResponse']['response'])] : [],
      ),
      images: parts.flatMap((part) => {
        const { inlineData: image } = part
        return isRecord(image) ? [`data:${textAt(image, 'mimeType')};base64,${textAt(image, 'data')}`] : []
      }),
      isStreamed: how === 'streamGenerateContent',
      schema: responseJsonSchema,
      schemaName: undefined,
    }
  },
  write(call, answer) {
    const { texts, usage, finish = 'stop' } = answer
    return {
      candidates: texts.map((text, index) => ({
        index,
        ...(finish === 'refusal' ? {} : { content: { role: 'model', parts: partsOf(text, answer) } }),
        finishReason: FINISH_REASONS[finish],
      })),
      modelVersion: call.model,
      responseId: `resp-${call.index}`,
      ...(usage === null ? {} : { usageMetadata: usageOf(call, answer) }),
    }
  },
  frames(call, answer) {
    const { texts, thinking, calls = [], usage, finish = 'stop' } = answer
    const piece = (parts: readonly object[], more: object = {}, last: object = {}): string =>
      frame({
        candidates: [{ index: 0, content: { role: 'model', parts }, ...more }],
        modelVersion: call.model,
        responseId: `resp-${call.index}`,
        ...last,
      })
    return [
      ...piecesOf(thinking ?? '').map((text) => piece([{ text, thought: true }])),
      ...piecesOf(texts[0] ?? '').map((text) => piece([{ text }])),
      ...calls.map((call) => piece([functionCall(call)])),
      piece(
        [{ text: '' }],
        { finishReason: FINISH_REASONS[finish] },
        usage === null ? {} : { usageMetadata: usageOf(call, answer) },
      ),
    ]
  },
  errorFrame: (message) => `${JSON.stringify({ error: { code: 503, message, status: 'UNAVAILABLE' } })}\n\n`,
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

const FINISH_REASONS = { stop: 'STOP', length: 'MAX_TOKENS', refusal: 'SAFETY' } as const

function partsOf(text: string, { thinking, calls = [] }: SpokenAnswer): readonly object[] {
  return [...(thinking === undefined ? [] : [{ text: thinking, thought: true }]), { text }, ...calls.map(functionCall)]
}

/** A call; older models give it no id, which a test writes as an empty one. */
function functionCall({ id, name, input }: NonNullable<SpokenAnswer['calls']>[number]): object {
  return { functionCall: { ...(id !== '' && { id }), name, args: input } }
}

function usageOf(call: ScriptedCall, { texts, usage }: SpokenAnswer): object {
  const prompt = call.messages.map(({ text }) => text).join('\n')
  const counted = usage ?? { input: tokensOf(prompt), output: texts.reduce((sum, text) => sum + tokensOf(text), 0) }
  return {
    promptTokenCount: counted.input,
    candidatesTokenCount: counted.output,
    totalTokenCount: counted.input + counted.output,
    ...(counted.cached === undefined ? {} : { cachedContentTokenCount: counted.cached }),
  }
}
