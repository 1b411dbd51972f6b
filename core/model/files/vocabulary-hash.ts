import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject, type Sha256 } from '../../kernel/json/json.ts'
import { requireObject } from './base-files.ts'

/**
 * Returns the hash of a base's vocabulary: SHA-256 over the lines `id token` of tokenizer.json, added tokens included, in
 * the order of their ids. Bases with the same hash mean the same tokens by the same ids, whatever else differs in their
 * tokenizers. Throws `invalid_model`.
 */
export async function readVocabularyHash(directory: string): Promise<Sha256> {
  return vocabularyHash(await requireObject(directory, 'tokenizer.json'))
}

function vocabularyHash({ model, added_tokens: added }: JsonObject): Sha256 {
  const tokens: [number, string][] = []
  const vocabulary = isJsonObject(model) && isJsonObject(model['vocab']) ? model['vocab'] : {}
  for (const [token, id] of Object.entries(vocabulary)) {
    if (typeof id === 'number') tokens.push([id, token])
  }
  for (const token of Array.isArray(added) ? added : []) {
    if (!isJsonObject(token)) continue
    const { id, content } = token
    if (typeof id === 'number' && typeof content === 'string') tokens.push([id, content])
  }
  const lines = new Set(tokens.toSorted(([a], [b]) => a - b).map(([id, token]) => `${id} ${JSON.stringify(token)}\n`))
  const hash = createHash('sha256')
  for (const line of lines) hash.update(line)
  return `sha256:${hash.digest('hex')}`
}
