import { z } from 'zod'
import type { JsonObject } from '../../kernel/json/json.ts'
import type { ProviderRequest, SampleFinish } from '../provider.ts'
import { ProviderError } from '../provider-error.ts'
import type { Dialect, WireShape } from './dialect.ts'
import { failureOfStatus, readReply } from './read-body.ts'

const Count = z.number().nonnegative()

const Completion = z.object({
  model: z.string().default(''),
  choices: z.array(
    z.object({
      message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: z
    .object({
      prompt_tokens: Count,
      completion_tokens: Count,
      prompt_tokens_details: z.object({ cached_tokens: Count.nullish() }).nullish(),
    })
    .nullish(),
})

const Failure = z.object({
  error: z.union([
    z.string(),
    z.object({ message: z.string().nullish(), code: z.union([z.string(), z.number()]).nullish() }),
  ]),
})

/** Codes of a 429 or 400 that no waiting mends, and of one that a content filter gave. */
const OUT_OF_CREDIT: ReadonlySet<unknown> = new Set(['insufficient_quota', 'billing_hard_limit_reached'])
const FILTERED: ReadonlySet<unknown> = new Set(['content_filter', 'content_policy_violation'])

/** OpenAI's chat completions, and every server that is compatible with them. The base address ends before `/chat`. */
export const chatCompletions: Dialect = {
  name: 'chat-completions',
  defaultBaseUrl: 'https://api.openai.com/v1',
  maxSamplesPerCall: 128,
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  encode: (request, model, shape) => ({
    path: '/chat/completions',
    body: {
      model,
      messages: request.messages.map(({ role, text }) => ({ role, content: text })),
      [shape.maxTokensField]: request.maxTokens,
      ...(shape.sendsTemperature ? { temperature: Math.min(2, request.temperature) } : {}),
      ...(request.n > 1 ? { n: request.n } : {}),
      ...responseFormat(request, shape),
    },
  }),
  decode(body) {
    const { model, choices, usage } = readReply(Completion, body)
    if (choices.length === 0) throw new ProviderError('invalid_response', 'the answer has no choices')
    return {
      model,
      samples: choices.map(({ message, finish_reason: reason }) => ({
        text: message.content ?? '',
        finish: message.refusal ? 'refusal' : finishOf(reason),
      })),
      usage: usage
        ? {
            inputTokens: usage.prompt_tokens,
            cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
            outputTokens: usage.completion_tokens,
          }
        : null,
    }
  },
  decodeError(status, body) {
    const parsed = Failure.safeParse(body)
    const error = parsed.success ? parsed.data.error : ''
    const { message, code } = typeof error === 'string' ? { message: error, code: undefined } : error
    const failure = FILTERED.has(code) ? 'refused' : OUT_OF_CREDIT.has(code) ? 'auth' : failureOfStatus(status)
    return { failure, message: message ?? '' }
  },
}

function responseFormat({ schema, wantsJson }: ProviderRequest, { structure }: WireShape): JsonObject {
  if (schema !== undefined && structure === 'schema') {
    return {
      response_format: {
        type: 'json_schema',
        json_schema: { name: schema.name, strict: true, schema: schema.schema },
      },
    }
  }
  const isJson = (schema !== undefined || wantsJson === true) && structure !== 'words'
  return isJson ? { response_format: { type: 'json_object' } } : {}
}

function finishOf(reason: string | null | undefined): SampleFinish {
  switch (reason) {
    case 'stop':
      return 'stop'
    case 'length':
      return 'length'
    case 'content_filter':
      return 'refusal'
    default:
      return 'other'
  }
}
