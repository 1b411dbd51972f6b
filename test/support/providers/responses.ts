import { randomBytes } from 'node:crypto'
import { frame, isRecord, recordsIn, Refusal, textAt } from './protocol.ts'

type Item = Readonly<Record<string, unknown>>

/** Answers of a provider of responses: a document, or the events of a stream. */
export type ResponsesAnswer = object | readonly string[]

/** A provider's store of responses, which all callers of one key share. */
export interface ResponsesStore {
  /** Answers a request below `/v1/responses`; undefined for another path. Throws `Refusal`. */
  answer(method: string, path: string, body: unknown): ResponsesAnswer | undefined
}

interface Stored {
  readonly input: readonly Item[]
  readonly response: Item & { readonly output: readonly Item[] }
}

const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 107,
}

/**
 * Opens an empty store. The model says `Paris it is`, repeats a question that begins with `Repeat`, and calls the first tool
 * of a request that has no result yet, after some reasoning. The provider runs code itself.
 */
export function openResponsesStore(): ResponsesStore {
  const responses = new Map<string, Stored>()
  const items = new Map<string, Item>()

  function resolve(item: Item): Item {
    const { id, type, encrypted_content: sealed } = item
    const isReference = type === 'item_reference' || (type === undefined && item['role'] === undefined)
    const isReasoning = type === 'reasoning' && typeof sealed !== 'string'
    if (!isReference && !isReasoning) return item
    const found = items.get(String(id))
    if (found === undefined) throw new Refusal(404, `Item with id '${String(id)}' not found.`)
    return found
  }

  function create(body: Item): ResponsesAnswer {
    const { input, previous_response_id: previous, model, tools, store } = body
    const before = typeof previous === 'string' ? responses.get(previous) : undefined
    if (before === undefined && typeof previous === 'string') {
      throw new Refusal(400, `Previous response with id '${previous}' not found.`, 'previous_response_not_found')
    }
    const given: readonly Item[] = typeof input === 'string' ? [{ role: 'user', content: input }] : recordsIn(input)
    const said = [...(before ? [...before.input, ...before.response.output] : []), ...given.map(resolve)]
    const results = new Set(said.filter(({ type }) => type === 'function_call_output').map((item) => item['call_id']))
    const calls = said.filter(({ type }) => type === 'function_call').map((item) => item['call_id'])
    for (const id of results) if (!calls.includes(id)) throw new Refusal(400, `No tool call found for ${String(id)}.`)
    const [tool] = recordsIn(tools)
    const hasCode = tool?.['type'] === 'code_interpreter'
    const output =
      tool !== undefined && !hasCode && results.size === 0
        ? callOf(textAt(tool, 'name'))
        : [...(hasCode ? [codeIn(tool['container'])] : []), messageOf(lastText(said))]
    const response = {
      id: newName('resp'),
      object: 'response',
      created_at: 1_700_000_000,
      status: 'completed',
      error: null,
      incomplete_details: null,
      model,
      output,
      usage: USAGE,
    }
    if (store !== false) {
      responses.set(response.id, { input: said.map((item) => ({ id: newName('msg'), ...item })), response })
      for (const item of output) items.set(String(item['id']), item)
    }
    return body['stream'] === true ? eventsOf(response) : response
  }

  return {
    answer(method, path, body) {
      if (path !== '/v1/responses' && !path.startsWith('/v1/responses/')) return undefined
      const [id = '', part] = path.slice('/v1/responses/'.length).split('/')
      if (id === '') return create(isRecord(body) ? body : {})
      const found = responses.get(id)
      if (found === undefined) throw new Refusal(404, `Response with id '${id}' not found.`)
      if (part === 'input_items') {
        const { input: data } = found
        return { object: 'list', data, first_id: data[0]?.['id'], last_id: data.at(-1)?.['id'], has_more: false }
      }
      if (method !== 'DELETE') return found.response
      responses.delete(id)
      return { id, object: 'response', deleted: true }
    },
  }
}

function newName(prefix: string): string {
  return `${prefix}_${randomBytes(24).toString('hex')}`
}

function callOf(name: string): readonly Item[] {
  const call = { call_id: newName('call'), name, arguments: '{"city":"Paris","unit":"celsius"}', status: 'completed' }
  return [
    { id: newName('rs'), type: 'reasoning', summary: [] },
    { id: newName('fc'), type: 'function_call', ...call },
  ]
}

function codeIn(container: unknown): Item {
  const name = typeof container === 'string' ? container : newName('cntr')
  return { id: newName('ci'), type: 'code_interpreter_call', status: 'completed', container_id: name, code: '1' }
}

function messageOf(asked: string): Item {
  const text = asked.startsWith('Repeat') ? asked : 'Paris it is'
  const content = [{ type: 'output_text', text, annotations: [] }]
  return { id: newName('msg'), type: 'message', status: 'completed', role: 'assistant', content }
}

function lastText(said: readonly Item[]): string {
  const content = said.findLast(({ role }) => role === 'user')?.['content']
  return typeof content === 'string' ? content : textAt(recordsIn(content)[0], 'text')
}

function eventsOf(response: Stored['response'] & { readonly id: string }): readonly string[] {
  const started = { ...response, status: 'in_progress', output: [], usage: null }
  const events: (readonly [string, object])[] = [['response.created', { response: started }]]
  for (const [place, item] of response.output.entries()) {
    const at = { item_id: item['id'], output_index: place }
    const text = textAt(recordsIn(item['content'])[0], 'text')
    const begun = { ...item, status: 'in_progress', ...(item['type'] === 'message' ? { content: [] } : {}) }
    events.push(['response.output_item.added', { output_index: place, item: begun }])
    if (item['type'] === 'function_call') {
      events.push(['response.function_call_arguments.delta', { ...at, delta: item['arguments'] }])
      events.push(['response.function_call_arguments.done', { ...at, arguments: item['arguments'] }])
    }
    if (item['type'] === 'message') {
      const inner = { ...at, content_index: 0 }
      const half = text.indexOf(' ') + 1
      events.push([
        'response.content_part.added',
        { ...inner, part: { type: 'output_text', text: '', annotations: [] } },
      ])
      for (const delta of [text.slice(0, half), text.slice(half)]) {
        events.push(['response.output_text.delta', { ...inner, delta }])
      }
      events.push(['response.output_text.done', { ...inner, text }])
    }
    events.push(['response.output_item.done', { output_index: place, item }])
  }
  events.push(['response.completed', { response }])
  return events.map(([type, fields], index) => frame({ type, sequence_number: index, ...fields }, type))
}
