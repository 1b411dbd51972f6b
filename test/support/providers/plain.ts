import { isRecord, Refusal } from './protocol.ts'

/** Answers of OpenAI's other paths, in the documented form; undefined for a path that is none of them. */
export function plainAnswer(path: string, body: unknown): object | undefined {
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
    default:
      return undefined
  }
}
