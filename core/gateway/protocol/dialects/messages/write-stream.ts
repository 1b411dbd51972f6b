import type { JsonObject } from '../../../../kernel/json/json.ts'
import { usageOf, type Finish } from '../../exchange/answer.ts'
import { sentEvent, type StreamWriter } from '../../exchange/stream.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import type { AnswerFacts } from '../dialect.ts'
import { writeFinish, writeUsage } from './answer.ts'

type BlockKind = 'text' | 'thinking' | 'tool'

/** Writes the events of messages: one block after the other, each closed before the next. */
export function writeStream(facts: AnswerFacts): StreamWriter {
  let finish: Finish = 'other'
  let usage = usageOf({})
  let hasStarted = false
  let blocks = 0
  let open: { readonly kind: BlockKind; readonly key: number } | null = null

  const send = (event: string, fields: JsonObject): string =>
    sentEvent({ event, data: JSON.stringify({ type: event, ...fields }) })
  const start = (id: string, model: string): string => {
    if (hasStarted) return ''
    hasStarted = true
    return send('message_start', {
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: writeUsage(usage),
      },
    })
  }
  const begin = (): string => start(facts.id, facts.model)
  const close = (): string => {
    if (open === null) return ''
    open = null
    return send('content_block_stop', { index: blocks++ })
  }
  const block = (kind: BlockKind, key: number, content: JsonObject): string => {
    if (open?.kind === kind && open.key === key) return ''
    const closed = close()
    open = { kind, key }
    return `${closed}${send('content_block_start', { index: blocks, content_block: content })}`
  }
  const delta = (fields: JsonObject): string => send('content_block_delta', { index: blocks, delta: fields })

  return {
    write(event) {
      switch (event.kind) {
        case 'start':
          return start(event.id || facts.id, event.model || facts.model)
        case 'text':
          return `${begin()}${block('text', 0, { type: 'text', text: '' })}${delta({ type: 'text_delta', text: event.text })}`
        case 'thinking':
          return `${begin()}${block('thinking', 0, { type: 'thinking', thinking: '', signature: '' })}${delta({ type: 'thinking_delta', thinking: event.text })}`
        case 'signature':
          return open?.kind === 'thinking' ? delta({ type: 'signature_delta', signature: event.signature }) : ''
        case 'sealed_thinking': {
          const closed = close()
          const content = { type: 'redacted_thinking', data: event.data }
          const whole = send('content_block_start', { index: blocks, content_block: content })
          return `${begin()}${closed}${whole}${send('content_block_stop', { index: blocks++ })}`
        }
        case 'tool_call':
          return `${begin()}${block('tool', event.key, { type: 'tool_use', id: event.id, name: event.name, input: {} })}`
        case 'arguments':
          // A closed block takes no more: a provider that mixes its calls must not lose a piece unseen.
          if (open?.kind !== 'tool' || open.key !== event.key) {
            throw new ProviderError('invalid_response', 'the provider mixes the arguments of several tool calls')
          }
          return delta({ type: 'input_json_delta', partial_json: event.text })
        case 'finish':
          finish = event.finish
          return ''
        case 'usage':
          usage = event.usage
          return ''
        case 'end':
        case 'error':
          return ''
      }
    },
    end() {
      const ended = send('message_delta', {
        delta: { stop_reason: writeFinish(finish), stop_sequence: null },
        usage: writeUsage(usage),
      })
      return `${begin()}${close()}${ended}${send('message_stop', {})}`
    },
  }
}
