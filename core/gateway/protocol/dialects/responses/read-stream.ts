import { z } from 'zod'
import { isJsonObject, type Json } from '../../../../kernel/json/json.ts'
import type { StreamEvent, StreamReader } from '../../exchange/stream.ts'
import { Text } from '../fields.ts'
import { readEvent, readReply } from '../read-body.ts'
import { readError } from '../chat-completions/errors.ts'
import { readFinish, readUsage, ResponseBody } from './answer.ts'
import { idsIn } from './references.ts'

const Event = z.looseObject({
  type: z.string(),
  // Of images and of audio it is something else.
  delta: z.unknown().optional(),
  output_index: z.int().nullish(),
  item: z.looseObject({ type: z.string(), call_id: Text, name: Text }).nullish(),
  response: ResponseBody.extend({ error: z.custom<Json>().optional() }).nullish(),
})

/** Reads the events of responses. */
export function readStream(): StreamReader {
  return ({ data }): readonly StreamEvent[] => {
    if (data === '[DONE]') return []
    const json = readEvent(data)
    const { type, delta: piece, output_index: place, item, response } = readReply(Event, json)
    const key = place ?? 0
    const delta = typeof piece === 'string' ? piece : ''
    switch (type) {
      case 'response.created':
        return [{ kind: 'start', id: response?.id ?? '', model: response?.model ?? '' }]
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return [{ kind: 'text', text: delta }]
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [{ kind: 'thinking', text: delta }]
      case 'response.output_item.added':
        if (item?.type !== 'function_call') return []
        return [{ kind: 'tool_call', key, id: item.call_id, name: item.name }]
      case 'response.function_call_arguments.delta':
        return [{ kind: 'arguments', key, text: delta }]
      case 'response.completed':
      case 'response.incomplete': {
        if (!response) return [{ kind: 'end' }]
        const usage = readUsage(response)
        return [
          {
            kind: 'finish',
            finish: readFinish(response),
            ids: idsIn(isJsonObject(json) ? json['response'] : undefined),
          },
          ...(usage ? [{ kind: 'usage' as const, usage }] : []),
          { kind: 'end' },
        ]
      }
      case 'response.failed':
        return [{ kind: 'error', error: readError(502, { error: response?.error ?? '' }) }]
      case 'error':
        return [{ kind: 'error', error: readError(502, { error: json }) }]
      default:
        return []
    }
  }
}
