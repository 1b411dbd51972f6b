import { isJsonObject, type JsonObject } from '../../../../kernel/json/json.ts'
import type { Finish, Usage } from '../../exchange/answer.ts'
import type { ModelRequest } from '../../exchange/request.ts'
import { sentEvent, type StreamEvent, type StreamReader, type StreamWriter } from '../../exchange/stream.ts'
import type { AnswerFacts } from '../dialect.ts'
import { answeredArguments, unnamedCall } from '../fields.ts'
import { readEvent, readReply } from '../read-body.ts'
import { candidateOf, Content, finishOf, partsOf, readUsage, writeUsage } from './answer.ts'
import { readError } from './errors.ts'

/** Reads the pieces of generate-content. A stream has no mark of its end but the reason in its last piece. */
export function readStream(request: ModelRequest | null): StreamReader {
  let hasStarted = false
  let calls = 0
  let numbered = 0
  return ({ data }) => {
    const json = readEvent(data)
    if (isJsonObject(json) && json['error'] !== undefined) return [{ kind: 'error', error: readError(502, json) }]
    const read = readReply(Content, json)
    const events: StreamEvent[] = []
    if (!hasStarted) events.push({ kind: 'start', id: read.responseId, model: read.modelVersion })
    hasStarted = true
    for (const candidate of read.candidates ?? []) {
      const of = candidate.index ? { sample: candidate.index } : {}
      for (const part of partsOf(candidate, () => unnamedCall(read.responseId, numbered++))) {
        switch (part.kind) {
          case 'tool_call': {
            const key = calls++
            events.push({ kind: 'tool_call', key, id: part.id, name: part.name, ...of })
            events.push({ kind: 'arguments', key, text: part.arguments, ...of })
            break
          }
          case 'text':
          case 'thinking':
            events.push({ kind: part.kind, text: part.text, ...of })
            break
          case 'sealed_thinking':
            break
        }
      }
      if (candidate.finishReason) {
        events.push({ kind: 'finish', finish: finishOf(candidate.finishReason, calls > 0, request), ...of })
      }
    }
    if (read.promptFeedback?.blockReason) events.push({ kind: 'finish', finish: 'refusal' })
    if (read.usageMetadata) events.push({ kind: 'usage', usage: readUsage(read.usageMetadata) })
    return events
  }
}

/** Writes the pieces of generate-content. A call is one piece, so its arguments are collected. */
export function writeStream(facts: AnswerFacts): StreamWriter {
  let { id, model } = facts
  let finish: Finish = 'other'
  let usage: Usage | null = null
  const calls = new Map<number, { readonly id: string; readonly name: string; text: string }>()
  const piece = (parts: readonly JsonObject[], ending: Finish | null): string =>
    sentEvent({
      data: JSON.stringify({
        candidates: [candidateOf(0, parts, ending)],
        modelVersion: model,
        responseId: id,
        ...(ending !== null && usage && { usageMetadata: writeUsage(usage) }),
      }),
    })
  return {
    write(event) {
      switch (event.kind) {
        case 'start':
          id = event.id || id
          model = event.model || model
          return ''
        case 'text':
          return piece([{ text: event.text }], null)
        case 'thinking':
          return piece([{ text: event.text, thought: true }], null)
        case 'tool_call':
          calls.set(event.key, { id: event.id, name: event.name, text: '' })
          return ''
        case 'arguments': {
          const call = calls.get(event.key)
          if (call) call.text += event.text
          return ''
        }
        case 'finish':
          finish = event.finish
          return ''
        case 'usage':
          usage = event.usage
          return ''
        case 'signature':
        case 'sealed_thinking':
        case 'end':
        case 'error':
          return ''
      }
    },
    end() {
      const made = [...calls.values()].map(({ id: callId, name, text }) => ({
        functionCall: { id: callId, name, args: answeredArguments({ name, arguments: text }) },
      }))
      return piece(made.length > 0 ? made : [{ text: '' }], finish)
    },
  }
}
