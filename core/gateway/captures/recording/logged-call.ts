import type { ModelAnswer } from '../../protocol/exchange/answer.ts'
import type { LoggedItem, MultiTurnBody } from '../../wire/captures/logs.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import type { RetrievedContext } from './retrieved-context.ts'

/** The texts of a logged call. */
export interface LoggedTexts {
  readonly prompt: string
  readonly response: string
  readonly body: JsonObject
  readonly answer: Json
}

/** A logged item without an input or an output, and what it lacks. */
export interface SkippedItem {
  readonly lacks: string
}

/** Reads a logged item, with the passages that were retrieved for it. Values that are no text are stored as their JSON. */
export function loggedTexts(
  item: LoggedItem,
  { toolChoice, context }: { readonly toolChoice: Json | undefined; readonly context: RetrievedContext },
): LoggedTexts | SkippedItem {
  const prompt = textOf(item.input ?? item.prompt)
  const response = textOf(item.output ?? item.response ?? item.assistant_response)
  const calls = item.tool_calls ?? []
  if (prompt === '') return { lacks: 'has no input' }
  if (response === '' && calls.length === 0) return { lacks: 'has no output' }
  return {
    prompt,
    response: response === '' ? calls.map((call) => textOf(call)).join('\n') : response,
    body: {
      messages: [{ role: 'user', content: prompt }],
      ...(toolChoice !== undefined && { tool_choice: toolChoice }),
      ...(item.timestamp !== undefined && { timestamp: item.timestamp }),
      ...(context.length > 0 && { retrieved_context: context }),
    },
    answer: answerOf(response, calls),
  }
}

/**
 * Reads a conversation: the last turn of the assistant is the response, and the turns before it are the prompt, as
 * `role: text`.
 */
export function conversationTexts({ conversation, parent_message_id: parent }: MultiTurnBody): LoggedTexts {
  const turns = conversation.map(({ role, content, tool_calls: calls, timestamp }) => ({
    role,
    content,
    ...(calls !== undefined && { tool_calls: calls }),
    ...(timestamp !== undefined && { timestamp }),
  }))
  const last = turns.findLastIndex(({ role }) => role === 'assistant')
  const before = last === -1 ? turns : turns.slice(0, last)
  const answered = turns[last]
  const response = answered === undefined ? '' : textOf(answered.content)
  return {
    prompt: before.map(({ role, content }) => `${role}: ${textOf(content)}`).join('\n\n'),
    response,
    body: { messages: turns, ...(parent !== undefined && { parent_message_id: parent }) },
    answer: answerOf(response, answered?.tool_calls ?? []),
  }
}

/** A value as text: texts as they are, messages with content by their content, anything else as JSON. */
export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (isJsonObject(value) && typeof value['content'] === 'string') return value['content']
  return JSON.stringify(value)
}

function answerOf(text: string, calls: readonly Json[]): Json {
  const parts: ModelAnswer['choices'][number]['parts'] = [
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...calls.map((call, i) => toolCall(call, i)),
  ]
  const finish = calls.length > 0 ? 'tool_calls' : 'stop'
  const answer: Json = JSON.parse(JSON.stringify({ id: '', model: '', usage: null, choices: [{ parts, finish }] }))
  return answer
}

function toolCall(call: Json, place: number) {
  const given = isJsonObject(call) ? call : {}
  const fn = isJsonObject(given['function']) ? given['function'] : given
  const { name, arguments: args } = fn
  return {
    kind: 'tool_call' as const,
    id: typeof given['id'] === 'string' ? given['id'] : `call_${place + 1}`,
    name: typeof name === 'string' ? name : 'unknown',
    arguments: textOf(args),
  }
}
