import { frame, isRecord, Refusal } from './protocol.ts'

/** Answers of OpenAI's other paths, in the documented form; undefined for a path that is none of them. */
export function plainAnswer(path: string, body: unknown): object | readonly string[] | undefined {
  if (!isRecord(body)) return undefined
  switch (path) {
    case '/v1/embeddings': {
      if (body['input'] === undefined) throw new Refusal(400, "'input' is a required property")
      const inputs: readonly unknown[] = Array.isArray(body['input']) ? body['input'] : [body['input']]
      return {
        object: 'list',
        data: inputs.map((_input, index) => ({ object: 'embedding', index, embedding: [0.25, -0.5] })),
        model: body['model'],
        usage: { prompt_tokens: 5, total_tokens: 5 },
      }
    }
    case '/v1/moderations':
      return {
        id: 'modr-1',
        model: body['model'],
        results: [{ flagged: false, categories: { violence: false }, category_scores: { violence: 0.001 } }],
      }
    case '/v1/responses':
      return body['stream'] === true ? responseEvents(body['model']) : responseOf(body['model'], 'completed')
    default:
      return undefined
  }
}

function responseOf(model: unknown, status: string) {
  const text = { type: 'output_text', text: 'Paris it is', annotations: [] }
  const message = { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [text] }
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    status,
    error: null,
    incomplete_details: null,
    model,
    output: status === 'completed' ? [message] : [],
    usage:
      status === 'completed'
        ? {
            input_tokens: 100,
            input_tokens_details: { cached_tokens: 40 },
            output_tokens: 7,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 107,
          }
        : null,
  }
}

function responseEvents(model: unknown): readonly string[] {
  const whole = responseOf(model, 'completed')
  const [item] = whole.output
  const at = { item_id: 'msg_1', output_index: 0, content_index: 0 }
  const events: readonly (readonly [string, object])[] = [
    ['response.created', { response: responseOf(model, 'in_progress') }],
    ['response.output_item.added', { output_index: 0, item: { ...item, status: 'in_progress', content: [] } }],
    ['response.content_part.added', { ...at, part: { type: 'output_text', text: '', annotations: [] } }],
    ['response.output_text.delta', { ...at, delta: 'Paris ' }],
    ['response.output_text.delta', { ...at, delta: 'it is' }],
    ['response.output_text.done', { ...at, text: 'Paris it is' }],
    ['response.output_item.done', { output_index: 0, item }],
    ['response.completed', { response: whole }],
  ]
  return events.map(([type, fields], index) => frame({ type, sequence_number: index, ...fields }, type))
}
