import { z } from 'zod'
import type { Json, JsonObject } from '../../kernel/json/json.ts'
import type { ProviderRequest, SampleFinish } from '../provider.ts'
import type { Dialect, WireShape } from './dialect.ts'
import { failureOfStatus, readReply } from './read-body.ts'

const Count = z.number().nonnegative()

const Message = z.object({
  model: z.string().default(''),
  content: z.array(
    z.looseObject({ type: z.string(), text: z.string().optional(), input: z.custom<Json>().optional() }),
  ),
  stop_reason: z.string().nullish(),
  usage: z
    .object({
      input_tokens: Count,
      output_tokens: Count,
      cache_read_input_tokens: Count.nullish(),
      cache_creation_input_tokens: Count.nullish(),
    })
    .nullish(),
})

const Failure = z.object({ error: z.object({ type: z.string().nullish(), message: z.string().nullish() }) })

/** Protocol version: the newest that accepts a temperature, which samples need to differ. */
const VERSION = '2023-06-01'

/**
 * Anthropic's messages. One sample per call. A structured answer is requested as the input of a required tool: tool
 * schemas may recurse, which the dialect's own output format does not support.
 */
export const messages: Dialect = {
  name: 'messages',
  defaultBaseUrl: 'https://api.anthropic.com',
  maxSamplesPerCall: 1,
  headers: (apiKey) => ({ 'x-api-key': apiKey, 'anthropic-version': VERSION }),
  encode(request, model, shape) {
    const system = request.messages.filter(({ role }) => role === 'system').map(({ text }) => text)
    return {
      path: '/v1/messages',
      body: {
        model,
        max_tokens: request.maxTokens,
        ...(system.length > 0 ? { system: system.join('\n\n') } : {}),
        messages: request.messages
          .filter(({ role }) => role !== 'system')
          .map(({ role, text }) => ({ role, content: text })),
        ...(shape.sendsTemperature ? { temperature: Math.min(1, request.temperature) } : {}),
        ...answerTool(request, shape),
      },
    }
  },
  decode(body) {
    const { model, content, stop_reason: reason, usage } = readReply(Message, body)
    const tool = content.find(({ type }) => type === 'tool_use')
    const text = content.filter(({ type }) => type === 'text').map((block) => block.text ?? '')
    return {
      model,
      samples: [
        { text: tool?.input === undefined ? text.join('') : JSON.stringify(tool.input), finish: finishOf(reason) },
      ],
      usage: usage
        ? {
            inputTokens:
              usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
            cachedTokens: usage.cache_read_input_tokens ?? 0,
            outputTokens: usage.output_tokens,
          }
        : null,
    }
  },
  decodeError(status, body) {
    const parsed = Failure.safeParse(body)
    return { failure: failureOfStatus(status), message: parsed.success ? (parsed.data.error.message ?? '') : '' }
  },
}

function answerTool({ schema }: ProviderRequest, { structure }: WireShape): JsonObject {
  if (schema === undefined || structure !== 'schema') return {}
  return {
    tools: [{ name: schema.name, description: 'Gives the answer.', input_schema: schema.schema }],
    tool_choice: { type: 'tool', name: schema.name },
  }
}

function finishOf(reason: string | null | undefined): SampleFinish {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
    case 'tool_use':
      return 'stop'
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length'
    case 'refusal':
      return 'refusal'
    default:
      return 'other'
  }
}
