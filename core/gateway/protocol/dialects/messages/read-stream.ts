import { z } from 'zod'
import type { ModelRequest } from '../../exchange/request.ts'
import type { StreamEvent, StreamReader } from '../../exchange/stream.ts'
import { Text } from '../fields.ts'
import { readEvent, readReply } from '../read-body.ts'
import { AnswerBlock, MessageUsage, readFinish, readUsage } from './answer.ts'
import { readError } from './errors.ts'
import { answerTool } from './write-request.ts'

const Event = z.looseObject({
  type: z.string(),
  index: z.int().optional(),
  message: z.looseObject({ id: Text, model: Text, usage: MessageUsage.nullish() }).optional(),
  content_block: AnswerBlock.optional(),
  delta: z
    .looseObject({
      text: z.string().optional(),
      thinking: z.string().optional(),
      signature: z.string().optional(),
      partial_json: z.string().optional(),
      stop_reason: z.string().nullish(),
    })
    .optional(),
  usage: MessageUsage.nullish(),
})

/** Reads the events of messages. */
export function readStream(request: ModelRequest | null): StreamReader {
  const tool = answerTool(request)
  /** Blocks whose input is the structured answer. */
  const answers = new Set<number>()
  let counts: z.output<typeof MessageUsage> = {}
  return ({ data }) => {
    const json = readEvent(data)
    const event = readReply(Event, json)
    const { index = 0, message, content_block: block, delta } = event
    switch (event.type) {
      case 'message_start':
        counts = message?.usage ?? {}
        return [
          { kind: 'start', id: message?.id ?? '', model: message?.model ?? '' },
          { kind: 'usage', usage: readUsage(counts) },
        ]
      case 'content_block_start': {
        if (block?.type === 'tool_use' && block.name === tool) {
          answers.add(index)
          return []
        }
        return startOf(block, index, tool !== undefined)
      }
      case 'content_block_delta':
        return delta === undefined ? [] : deltaOf(delta, index, tool === undefined ? null : answers)
      case 'message_delta': {
        counts = { ...counts, ...present(event.usage ?? {}) }
        const reason = delta?.stop_reason
        const finish = reason === 'tool_use' && answers.size > 0 ? 'stop' : readFinish(reason)
        return [...(reason ? [{ kind: 'finish' as const, finish }] : []), { kind: 'usage', usage: readUsage(counts) }]
      }
      case 'message_stop':
        return [{ kind: 'end' }]
      case 'error':
        return [{ kind: 'error', error: readError(502, json) }]
      default:
        return []
    }
  }
}

function startOf(block: z.output<typeof AnswerBlock> | undefined, key: number, isStructured: boolean): StreamEvent[] {
  if (block?.type === 'tool_use') return [{ kind: 'tool_call', key, id: block.id, name: block.name }]
  if (block?.type === 'redacted_thinking') return [{ kind: 'sealed_thinking', data: block.data }]
  if (block?.type === 'text' && block.text && !isStructured) return [{ kind: 'text', text: block.text }]
  return []
}

/** `answers` is null unless the answer is structured: then text beside it is dropped. */
function deltaOf(
  delta: NonNullable<z.output<typeof Event>['delta']>,
  key: number,
  answers: ReadonlySet<number> | null,
): StreamEvent[] {
  const { text, thinking, signature, partial_json: json } = delta
  if (json !== undefined) {
    if (json === '') return []
    return answers?.has(key) ? [{ kind: 'text', text: json }] : [{ kind: 'arguments', key, text: json }]
  }
  if (text !== undefined) return answers === null ? [{ kind: 'text', text }] : []
  if (thinking !== undefined) return [{ kind: 'thinking', text: thinking }]
  return signature === undefined ? [] : [{ kind: 'signature', signature }]
}

function present(counts: z.output<typeof MessageUsage>): z.output<typeof MessageUsage> {
  return Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== null && value !== undefined))
}
