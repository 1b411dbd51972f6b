import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import { usageOf, type AnswerPart, type Finish, type ModelAnswer, type Usage } from '../../exchange/answer.ts'
import type { ModelRequest } from '../../exchange/request.ts'
import type { AnswerFacts } from '../dialect.ts'
import { AnyJson, answeredArguments, Count, Text } from '../fields.ts'
import { readReply } from '../read-body.ts'
import { answerTool } from './write-request.ts'

/** The counts of a message; those of a stream's end may be fewer. */
export const MessageUsage = z.object({
  input_tokens: Count.nullish(),
  output_tokens: Count.nullish(),
  cache_read_input_tokens: Count.nullish(),
  cache_creation_input_tokens: Count.nullish(),
  cache_creation: z.object({ ephemeral_1h_input_tokens: Count.nullish() }).nullish(),
})

/** A block of an answer. */
export const AnswerBlock = z.looseObject({
  type: z.string(),
  text: Text,
  thinking: Text,
  signature: z.string().nullish(),
  data: Text,
  id: Text,
  name: Text,
  input: AnyJson.optional(),
})

const Message = z.object({
  id: Text,
  model: Text,
  content: z.array(AnswerBlock),
  stop_reason: z.string().nullish(),
  usage: MessageUsage.nullish(),
})

const FINISHES: Readonly<Record<string, Finish>> = {
  end_turn: 'stop',
  stop_sequence: 'stop_sequence',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'refusal',
}
const STOP_REASONS: Readonly<Record<Finish, string>> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  refusal: 'refusal',
  other: 'end_turn',
}

/** Reads an answer of messages. */
export function readAnswer(body: Json, request: ModelRequest | null): ModelAnswer {
  const { id, model, content, stop_reason: reason, usage } = readReply(Message, body)
  const tool = answerTool(request)
  const isAnswer = content.some(({ type, name }) => type === 'tool_use' && name === tool)
  return {
    id,
    model,
    choices: [
      {
        parts: content.flatMap((block): readonly AnswerPart[] => {
          if (isAnswer && block.type === 'tool_use') return [{ kind: 'text', text: JSON.stringify(block.input ?? {}) }]
          // What the model says around the structured answer is no part of it.
          return isAnswer && block.type === 'text' ? [] : partsOf(block)
        }),
        finish: isAnswer && reason === 'tool_use' ? 'stop' : readFinish(reason),
      },
    ],
    usage: usage ? readUsage(usage) : null,
  }
}

function partsOf(block: z.output<typeof AnswerBlock>): readonly AnswerPart[] {
  switch (block.type) {
    case 'text':
      return [{ kind: 'text', text: block.text }]
    case 'thinking':
      return [{ kind: 'thinking', text: block.thinking, signature: block.signature || undefined }]
    case 'redacted_thinking':
      return [{ kind: 'sealed_thinking', data: block.data }]
    case 'tool_use':
      return [
        {
          kind: 'tool_call',
          id: block.id,
          name: block.name,
          arguments: JSON.stringify(block.input ?? {}),
        },
      ]
    default:
      return []
  }
}

/** Writes an answer of messages: its first sample. */
export function writeAnswer({ id, model, choices, usage }: ModelAnswer, facts: AnswerFacts): JsonObject {
  const [choice] = choices
  return {
    id: id || facts.id,
    type: 'message',
    role: 'assistant',
    model: model || facts.model,
    content: (choice?.parts ?? []).map(blockOf),
    stop_reason: writeFinish(choice?.finish ?? 'other'),
    stop_sequence: null,
    usage: writeUsage(usage ?? usageOf({})),
  }
}

function blockOf(part: AnswerPart): JsonObject {
  switch (part.kind) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'thinking':
      return { type: 'thinking', thinking: part.text, signature: part.signature ?? '' }
    case 'sealed_thinking':
      return { type: 'redacted_thinking', data: part.data }
    case 'tool_call':
      return { type: 'tool_use', id: part.id, name: part.name, input: answeredArguments(part) }
  }
}

/** Reads why an answer ended. */
export function readFinish(reason: string | null | undefined): Finish {
  return (reason && FINISHES[reason]) || 'other'
}

/** Writes why an answer ended. */
export function writeFinish(finish: Finish): string {
  return STOP_REASONS[finish]
}

/** Reads the counts. Tokens that the provider's cache answers or takes in are not among `input_tokens`. */
export function readUsage(usage: z.output<typeof MessageUsage>): Usage {
  const cached = usage.cache_read_input_tokens ?? 0
  const written = usage.cache_creation_input_tokens ?? 0
  const hour = usage.cache_creation?.ephemeral_1h_input_tokens ?? 0
  return usageOf({
    inputTokens: (usage.input_tokens ?? 0) + cached + written,
    cachedTokens: cached,
    cacheWriteTokens: written,
    ...(hour > 0 && { hourCacheWriteTokens: hour }),
    outputTokens: usage.output_tokens ?? 0,
  })
}

/** Writes the counts. */
export function writeUsage({ inputTokens, cachedTokens, cacheWriteTokens, outputTokens }: Usage): JsonObject {
  return {
    input_tokens: Math.max(0, inputTokens - cachedTokens - cacheWriteTokens),
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  }
}
