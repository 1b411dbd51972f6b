import { z } from 'zod'
import type { StreamEvent, StreamReader } from '../../exchange/stream.ts'
import { readEvent, readReply } from '../read-body.ts'
import { readError } from '../chat-completions/errors.ts'
import { readFinish, readUsage, ResponseBody } from './answer.ts'

const Event = z.looseObject({
  type: z.string(),
  delta: z.string().optional(),
  output_index: z.int().optional(),
  item: z.looseObject({ type: z.string(), call_id: z.string().optional(), name: z.string().optional() }).optional(),
  response: ResponseBody.extend({ error: z.unknown() }).optional(),
})

/** Reads the events of responses. */
export function readStream(): StreamReader {
  return ({ data }): readonly StreamEvent[] => {
    if (data === '[DONE]') return []
    const json = readEvent(data)
    const { type, delta = '', output_index: key = 0, item, response } = readReply(Event, json)
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
        return [{ kind: 'tool_call', key, id: item.call_id ?? '', name: item.name ?? '' }]
      case 'response.function_call_arguments.delta':
        return [{ kind: 'arguments', key, text: delta }]
      case 'response.completed':
      case 'response.incomplete': {
        if (response === undefined) return [{ kind: 'end' }]
        const usage = readUsage(response)
        return [
          { kind: 'finish', finish: readFinish(response) },
          ...(usage ? [{ kind: 'usage' as const, usage }] : []),
          { kind: 'end' },
        ]
      }
      case 'response.failed':
        return [
          { kind: 'error', error: readError(502, z.custom<typeof json>().parse({ error: response?.error ?? '' })) },
        ]
      case 'error':
        return [{ kind: 'error', error: readError(502, { error: json }) }]
      default:
        return []
    }
  }
}
