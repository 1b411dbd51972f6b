import { z } from 'zod'
import type { Json, JsonObject } from '../../../../kernel/json/json.ts'
import type { StreamEvent, StreamReader, StreamWriter } from '../../exchange/stream.ts'
import { sentEvent } from '../../exchange/stream.ts'
import type { ModelRequest } from '../../exchange/request.ts'
import type { AnswerFacts } from '../dialect.ts'
import { Text, unnamedCall } from '../fields.ts'
import { readEvent, readReply } from '../read-body.ts'
import { ChatUsage, REASONING, readFinish, readUsage, writeFinish, writeUsage } from './answer.ts'
import { readError } from './errors.ts'

const Chunk = z.object({
  id: Text,
  model: Text,
  choices: z
    .array(
      z.object({
        index: z.int().default(0),
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            ...REASONING,
            tool_calls: z
              .array(
                z.looseObject({
                  index: z.int().nullish(),
                  id: z.string().nullish(),
                  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
                }),
              )
              .nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: ChatUsage,
})

/** Reads the chunks of chat completions; of several samples each counts as content. */
export function readStream(request: ModelRequest | null): StreamReader {
  let hasStarted = false
  let refuses = false
  const named = new Set<string>()
  return ({ data }) => {
    if (data === '[DONE]') return [{ kind: 'end' }]
    const json = readEvent(data)
    if (isFailure(json)) return [{ kind: 'error', error: readError(502, json) }]
    const { id, model, choices, usage } = readReply(Chunk, json)
    const events: StreamEvent[] = []
    if (!hasStarted) events.push({ kind: 'start', id, model })
    hasStarted = true
    for (const { index: sample, delta, finish_reason: reason } of choices ?? []) {
      const of = sample === 0 ? {} : { sample }
      const thinking = delta?.reasoning_content ?? delta?.reasoning
      if (thinking) events.push({ kind: 'thinking', text: thinking, ...of })
      if (delta?.content) events.push({ kind: 'text', text: delta.content, ...of })
      if (delta?.refusal) events.push({ kind: 'text', text: delta.refusal, ...of })
      refuses ||= Boolean(delta?.refusal)
      for (const [i, { index, id: callId, function: part }] of (delta?.tool_calls ?? []).entries()) {
        const key = index ?? i
        if (part?.name && !named.has(`${sample} ${key}`)) {
          named.add(`${sample} ${key}`)
          events.push({ kind: 'tool_call', key, id: callId || unnamedCall(id, key), name: part.name, ...of })
        }
        if (part?.arguments) events.push({ kind: 'arguments', key, text: part.arguments, ...of })
      }
      if (reason) events.push({ kind: 'finish', finish: refuses ? 'refusal' : readFinish(reason, request), ...of })
    }
    const counts = readUsage(usage)
    if (counts) events.push({ kind: 'usage', usage: counts })
    return events
  }
}

function isFailure(json: Json): boolean {
  return typeof json === 'object' && json !== null && !Array.isArray(json) && 'error' in json && Boolean(json['error'])
}

/** True for a chunk that carries the counts alone: callers that did not ask for it do not get it. */
export function isUsageChunk(data: string): boolean {
  return /"choices"\s*:\s*\[\s*\]/.test(data) && data.includes('"usage"')
}

/** Writes the chunks of chat completions. */
export function writeStream(facts: AnswerFacts): StreamWriter {
  let { id, model } = facts
  let finish = 'stop'
  let usage: JsonObject | null = null
  let hasStarted = false
  const places = new Map<number, number>()
  const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
    sentEvent({
      data: JSON.stringify({
        id,
        object: 'chat.completion.chunk',
        created: facts.createdS,
        model,
        choices,
        ...more,
      }),
    })
  const delta = (fields: JsonObject): string => {
    const first = hasStarted ? {} : { role: 'assistant' }
    hasStarted = true
    return chunk([{ index: 0, delta: { ...first, ...fields }, finish_reason: null }])
  }
  return {
    write(event) {
      switch (event.kind) {
        case 'start':
          id = event.id || id
          model = event.model || model
          return delta({ content: '' })
        case 'text':
          return delta({ content: event.text })
        case 'thinking':
          return delta({ reasoning_content: event.text })
        case 'tool_call': {
          const index = places.size
          places.set(event.key, index)
          const call = { index, id: event.id, type: 'function', function: { name: event.name, arguments: '' } }
          return delta({ tool_calls: [call] })
        }
        case 'arguments':
          return delta({
            tool_calls: [{ index: places.get(event.key) ?? 0, function: { arguments: event.text } }],
          })
        case 'finish':
          finish = writeFinish(event.finish)
          return ''
        case 'usage':
          usage = writeUsage(event.usage)
          return ''
        case 'signature':
        case 'sealed_thinking':
        case 'end':
        case 'error':
          return ''
      }
    },
    end() {
      const counts = facts.includesUsage && usage ? chunk([], { usage }) : ''
      return `${chunk([{ index: 0, delta: {}, finish_reason: finish }])}${counts}${sentEvent({ data: '[DONE]' })}`
    },
  }
}
