import type { JsonObject } from '../../../../kernel/json/json.ts'
import type { AnswerPart, Finish, Usage } from '../../exchange/answer.ts'
import { sentEvent, type StreamWriter } from '../../exchange/stream.ts'
import { ProviderError } from '../../../providers/provider-error.ts'
import type { AnswerFacts, DialectError } from '../dialect.ts'
import { itemId, itemName, itemOf, responseOf } from './answer.ts'

type OpenItem =
  | { readonly kind: 'text'; readonly id: string; text: string }
  | { readonly kind: 'thinking'; readonly id: string; text: string }
  | {
      readonly kind: 'tool_call'
      readonly id: string
      readonly key: number
      readonly callId: string
      readonly name: string
      text: string
    }

/** Writes the events of responses: one output item after the other, each done before the next is added. */
export function writeStream(facts: AnswerFacts): StreamWriter {
  let named: AnswerFacts = facts
  let sequence = 0
  let hasStarted = false
  let finish: Finish = 'other'
  let usage: Usage | null = null
  let open: OpenItem | null = null
  const items: JsonObject[] = []

  const send = (type: string, fields: JsonObject): string =>
    sentEvent({ event: type, data: JSON.stringify({ type, sequence_number: sequence++, ...fields }) })
  const start = (): string => {
    if (hasStarted) return ''
    hasStarted = true
    const response = responseOf(named, { finish: null, items: [], usage: null })
    return send('response.created', { response }) + send('response.in_progress', { response })
  }
  const place = (): JsonObject => ({ output_index: items.length })
  const close = (): string => {
    if (open === null) return ''
    const { id, text } = open
    const [item = {}] = itemOf(partOf(open), id)
    const at = { item_id: itemId(open.kind, id), ...place() }
    let done = ''
    if (open.kind === 'text') {
      const part = { type: 'output_text', text, annotations: [] }
      done += send('response.output_text.done', { ...at, content_index: 0, text, logprobs: [] })
      done += send('response.content_part.done', { ...at, content_index: 0, part })
    } else if (open.kind === 'thinking') {
      const part = { type: 'summary_text', text }
      done += send('response.reasoning_summary_text.done', { ...at, summary_index: 0, text })
      done += send('response.reasoning_summary_part.done', { ...at, summary_index: 0, part })
    } else if (open.kind === 'tool_call') {
      done += send('response.function_call_arguments.done', { ...at, name: open.name, arguments: text || '{}' })
    }
    done += send('response.output_item.done', { ...place(), item })
    items.push(item)
    open = null
    return done
  }
  const begin = (kind: 'text' | 'thinking', item: OpenItem): string => {
    const closed = close()
    open = item
    const [whole = {}] = itemOf(partOf(item), item.id)
    const at = { item_id: itemId(item.kind, item.id), ...place() }
    const empty = kind === 'text' ? { ...whole, status: 'in_progress', content: [] } : { ...whole, summary: [] }
    const added = send('response.output_item.added', { ...place(), item: empty })
    const part =
      kind === 'text' ? { type: 'output_text', text: '', annotations: [] } : { type: 'summary_text', text: '' }
    return kind === 'text'
      ? closed + added + send('response.content_part.added', { ...at, content_index: 0, part })
      : closed + added + send('response.reasoning_summary_part.added', { ...at, summary_index: 0, part })
  }
  const say = (kind: 'text' | 'thinking', text: string): string => {
    const started = start()
    const item: OpenItem = open?.kind === kind ? open : { kind, id: itemName(facts, items.length), text: '' }
    const begun = item === open ? '' : begin(kind, item)
    item.text += text
    const at = { item_id: itemId(kind, item.id), ...place(), delta: text }
    const delta =
      kind === 'text'
        ? send('response.output_text.delta', { ...at, content_index: 0, logprobs: [] })
        : send('response.reasoning_summary_text.delta', { ...at, summary_index: 0 })
    return started + begun + delta
  }

  return {
    write(event) {
      switch (event.kind) {
        case 'start':
          named = { ...facts, model: event.model || facts.model }
          return start()
        case 'text':
        case 'thinking':
          return say(event.kind, event.text)
        case 'tool_call': {
          const written = start() + close()
          const { key, id: callId, name } = event
          open = { kind: 'tool_call', id: itemName(facts, items.length), key, callId, name, text: '' }
          const [item = {}] = itemOf(partOf(open), open.id)
          const empty = { ...item, status: 'in_progress', arguments: '' }
          return written + send('response.output_item.added', { ...place(), item: empty })
        }
        case 'arguments': {
          if (open?.kind !== 'tool_call' || open.key !== event.key) {
            throw new ProviderError('invalid_response', 'the provider mixes the arguments of several tool calls')
          }
          open.text += event.text
          const at = { item_id: itemId('tool_call', open.id), ...place() }
          return send('response.function_call_arguments.delta', { ...at, delta: event.text })
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
    end(isKept = false) {
      const written = start() + close()
      const response = responseOf({ ...named, isKept }, { finish, items, usage })
      const isWhole = response['status'] === 'completed'
      return written + send(isWhole ? 'response.completed' : 'response.incomplete', { response })
    },
  }
}

function partOf(open: OpenItem): AnswerPart {
  return open.kind === 'tool_call'
    ? { kind: 'tool_call', id: open.callId, name: open.name, arguments: open.text }
    : { kind: open.kind, text: open.text }
}

/** Writes an error inside a stream of responses. */
export function writeStreamError({ message, code, param }: DialectError, eventsBefore: number): string {
  const error = { type: 'error', sequence_number: eventsBefore, code, message, param }
  return sentEvent({ event: 'error', data: JSON.stringify(error) })
}
