import type { DialectName } from '../../../core/gateway/providers/provider.ts'
import { isRecord, recordsIn, Refusal, textAt } from './protocol.ts'
import { tokensOf } from './scripted-model.ts'

/** Answers of the other methods of Anthropic's and Google's models; undefined for a path that is none of them. Throws `Refusal`. */
export function methodAnswer(dialect: DialectName, path: string, body: unknown): object | undefined {
  if (dialect === 'messages' && path === '/v1/messages/count_tokens') {
    if (!isRecord(body) || recordsIn(body['messages']).length === 0) throw new Refusal(400, 'messages: Field required')
    if (body['max_tokens'] !== undefined) throw new Refusal(400, 'max_tokens: Extra inputs are not permitted')
    return { input_tokens: tokensOf(JSON.stringify(body['messages'])) }
  }
  const [, model, method] =
    /^\/v1beta\/models\/([^/:]+):(countTokens|embedContent|batchEmbedContents)$/.exec(path) ?? []
  if (dialect !== 'generate-content' || model === undefined || !isRecord(body)) return undefined
  if (method === 'countTokens') {
    const whole = isRecord(body['generateContentRequest']) ? body['generateContentRequest'] : body
    if (whole !== body && whole['model'] !== `models/${model}`) throw new Refusal(400, 'The models differ.')
    const totalTokens = tokensOf(JSON.stringify(whole['contents']))
    return { totalTokens, promptTokensDetails: [{ modality: 'TEXT', tokenCount: totalTokens }] }
  }
  const requests = method === 'batchEmbedContents' ? recordsIn(body['requests']) : [body]
  const embeddings = requests.map((request) => {
    if (request['model'] !== `models/${model}`) throw new Refusal(400, 'The models differ.')
    const parts = isRecord(request['content']) ? recordsIn(request['content']['parts']) : []
    return { values: [parts.map((part) => textAt(part, 'text')).join('').length, -0.5] }
  })
  return method === 'batchEmbedContents' ? { embeddings } : { embedding: embeddings[0] }
}
