import { z } from 'zod'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { ProviderRequest, ProviderSample, SampleFinish } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import type { Dialect, WireShape } from './dialect.ts'
import { failureOfStatus, readReply } from './read-body.ts'

const Count = z.number().nonnegative()

const Content = z.object({
  modelVersion: z.string().default(''),
  candidates: z
    .array(
      z.object({
        content: z
          .object({
            parts: z.array(z.looseObject({ text: z.string().optional(), thought: z.boolean().optional() })).optional(),
          })
          .optional(),
        finishReason: z.string().nullish(),
      }),
    )
    .optional(),
  promptFeedback: z.looseObject({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: Count.nullish(),
      candidatesTokenCount: Count.nullish(),
      thoughtsTokenCount: Count.nullish(),
      cachedContentTokenCount: Count.nullish(),
    })
    .nullish(),
})

const Failure = z.object({
  error: z.object({
    message: z.string().nullish(),
    status: z.string().nullish(),
    details: z.array(z.looseObject({ reason: z.string().optional(), retryDelay: z.string().optional() })).nullish(),
  }),
})

/** Google's generate-content. It does not accept recursive schemas: such an answer is requested as plain JSON. */
export const generateContent: Dialect = {
  name: 'generate-content',
  defaultBaseUrl: 'https://generativelanguage.googleapis.com',
  maxSamplesPerCall: 8,
  headers: (apiKey) => ({ 'x-goog-api-key': apiKey }),
  encode(request, model, shape) {
    const system = request.messages.filter(({ role }) => role === 'system').map(({ text }) => ({ text }))
    return {
      path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
      body: {
        ...(system.length > 0 ? { systemInstruction: { parts: system } } : {}),
        contents: request.messages
          .filter(({ role }) => role !== 'system')
          .map(({ role, text }) => ({ role: role === 'assistant' ? 'model' : 'user', parts: [{ text }] })),
        generationConfig: {
          maxOutputTokens: request.maxTokens,
          ...(shape.sendsTemperature ? { temperature: Math.min(2, request.temperature) } : {}),
          ...(request.n > 1 ? { candidateCount: request.n } : {}),
          ...responseFormat(request, shape),
        },
      },
    }
  },
  decode(body) {
    const { modelVersion, candidates = [], promptFeedback, usageMetadata: usage } = readReply(Content, body)
    const blocked: readonly ProviderSample[] = promptFeedback?.blockReason ? [{ text: '', finish: 'refusal' }] : []
    const samples = candidates.map(({ content, finishReason }) => ({
      text: (content?.parts ?? [])
        .filter(({ thought }) => thought !== true)
        .map(({ text }) => text ?? '')
        .join(''),
      finish: finishOf(finishReason),
    }))
    if (samples.length + blocked.length === 0)
      throw new ProviderError('invalid_response', 'the answer has no candidates')
    return {
      model: modelVersion,
      samples: samples.length > 0 ? samples : blocked,
      usage: usage
        ? {
            inputTokens: usage.promptTokenCount ?? 0,
            cachedTokens: usage.cachedContentTokenCount ?? 0,
            outputTokens: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
          }
        : null,
    }
  },
  decodeError(status, body) {
    const parsed = Failure.safeParse(body)
    if (!parsed.success) return { failure: failureOfStatus(status), message: '' }
    const { message, details } = parsed.data.error
    const isKeyWrong = details?.some(({ reason }) => reason === 'API_KEY_INVALID') === true
    const delay = details?.find(({ retryDelay }) => retryDelay !== undefined)?.retryDelay
    return {
      failure: isKeyWrong ? 'auth' : failureOfStatus(status),
      message: message ?? '',
      retryAfterS: delay === undefined ? undefined : secondsOf(delay),
    }
  },
}

/** A protobuf duration in JSON: `35s`, `0.5s`. */
function secondsOf(duration: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)s$/.exec(duration)
  return match === null ? undefined : Number(match[1])
}

function refersToItself(schema: Json): boolean {
  return JSON.stringify(schema).includes('"$ref":')
}

function responseFormat({ schema, wantsJson }: ProviderRequest, { structure }: WireShape): JsonObject {
  if (structure === 'words' || (schema === undefined && wantsJson !== true)) return {}
  const isSent = schema !== undefined && structure === 'schema' && !refersToItself(schema.schema)
  return { responseMimeType: 'application/json', ...(isSent ? { responseJsonSchema: schema.schema } : {}) }
}

function finishOf(reason: string | null | undefined): SampleFinish {
  switch (reason) {
    case 'STOP':
      return 'stop'
    case 'MAX_TOKENS':
      return 'length'
    case 'SAFETY':
    case 'RECITATION':
    case 'BLOCKLIST':
    case 'PROHIBITED_CONTENT':
    case 'SPII':
      return 'refusal'
    default:
      return 'other'
  }
}
