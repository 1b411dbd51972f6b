import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { usageOf, type Finish, type ModelAnswer, type Usage } from '../../exchange/answer.ts'
import { textOf, type ModelRequest } from '../../exchange/request.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import type { AnswerFacts } from '../dialect.ts'
import { Count, Text, unnamedCall } from '../fields.ts'
import { readReply, refuseBroken } from '../read-body.ts'

/** The counts of a call. */
export const ChatUsage = z
  .object({
    prompt_tokens: Count,
    completion_tokens: Count,
    prompt_tokens_details: z.object({ cached_tokens: Count.nullish() }).nullish(),
    completion_tokens_details: z.object({ reasoning_tokens: Count.nullish() }).nullish(),
  })
  .nullish()

/** Reasoning as compatible servers word it. */
export const REASONING = { reasoning_content: z.string().nullish(), reasoning: z.string().nullish() }

const Completion = z.object({
  id: Text,
  model: Text,
  choices: z.array(
    z.object({
      message: z.object({
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        ...REASONING,
        tool_calls: z
          .array(
            z.looseObject({
              id: Text,
              function: z.object({ name: z.string(), arguments: Text }).nullish(),
            }),
          )
          .nullish(),
      }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: ChatUsage,
})

const FINISHES: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  content_filter: 'refusal',
}
/** Reasons of servers that gave an answer up: of OpenRouter and of DeepSeek. */
const BROKEN: ReadonlySet<string> = new Set(['error', 'insufficient_system_resource'])
const FINISH_REASONS: Readonly<Record<Finish, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  refusal: 'content_filter',
  other: 'stop',
}

/** Reads an answer of chat completions. */
export function readAnswer(body: Json, request: ModelRequest | null): ModelAnswer {
  const { id, model, choices, usage } = readReply(Completion, body)
  if (choices.length === 0) throw new ProviderError('invalid_response', 'the answer has no choices')
  return {
    id,
    model,
    choices: choices.map(({ message, finish_reason: reason }) => {
      const { content, refusal, reasoning_content: thought, reasoning, tool_calls: calls } = message
      const thinking = thought ?? reasoning ?? ''
      const text = content || refusal || ''
      return {
        parts: [
          ...(thinking === '' ? [] : [{ kind: 'thinking' as const, text: thinking }]),
          ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
          ...(calls ?? []).flatMap(({ id: callId, function: made }, i) =>
            made
              ? [
                  {
                    kind: 'tool_call' as const,
                    id: callId || unnamedCall(id, i),
                    name: made.name,
                    arguments: made.arguments,
                  },
                ]
              : [],
          ),
        ],
        finish: refusal ? 'refusal' : readFinish(reason, request),
      }
    }),
    usage: readUsage(usage),
  }
}

/** Writes an answer of chat completions. */
export function writeAnswer({ id, model, choices, usage }: ModelAnswer, facts: AnswerFacts): JsonObject {
  return {
    id: id || facts.id,
    object: 'chat.completion',
    created: facts.createdS,
    model: model || facts.model,
    choices: choices.map(({ parts, finish }, index) => {
      const calls = parts.flatMap((part) =>
        part.kind === 'tool_call'
          ? [{ id: part.id, type: 'function', function: { name: part.name, arguments: part.arguments || '{}' } }]
          : [],
      )
      const thinking = parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('')
      const text = textOf(parts)
      return {
        index,
        message: {
          role: 'assistant',
          content: finish === 'refusal' || (text === '' && calls.length > 0) ? null : text,
          refusal: finish === 'refusal' ? text : null,
          ...(thinking !== '' && { reasoning_content: thinking }),
          ...(calls.length > 0 && { tool_calls: calls }),
        },
        logprobs: null,
        finish_reason: writeFinish(finish),
      }
    }),
    ...(usage && { usage: writeUsage(usage) }),
  }
}

/** Reads why an answer ended. */
export function readFinish(reason: string | null | undefined, request: ModelRequest | null): Finish {
  refuseBroken(reason, BROKEN, request)
  return (reason && FINISHES[reason]) || 'other'
}

/** Writes why an answer ended. */
export function writeFinish(finish: Finish): string {
  return FINISH_REASONS[finish]
}

/** Reads the counts. */
export function readUsage(usage: z.output<typeof ChatUsage>): Usage | null {
  if (!usage) return null
  return usageOf({
    inputTokens: usage.prompt_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    outputTokens: usage.completion_tokens,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
  })
}

/** Writes the counts. */
export function writeUsage(usage: Usage): JsonObject {
  const { inputTokens, cachedTokens, outputTokens, reasoningTokens } = usage
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}
