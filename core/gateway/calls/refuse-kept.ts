import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { isAudioKind, type PlainKind } from './providers.ts'
import { refuseField } from '../protocol/dialects/fields.ts'

/** Members of a body that name what a provider keeps for an account. */
const KEPT = ['previous_response_id', 'conversation', 'prompt', 'cachedContent', 'cached_content'] as const
/** Members with what is said, where files and earlier items may be named. */
const SAID = ['input', 'messages', 'contents'] as const
/** Members inside of those. */
const WITHIN = ['content', 'output', 'parts', 'source', 'file', 'fileData', 'file_data', 'image_url'] as const
/** Members with an address, and the addresses of files that Google keeps. */
const ADDRESSES = ['fileUri', 'file_uri', 'url', 'image_url'] as const
const KEPT_FILE = /^(https?:\/\/generativelanguage\.googleapis\.com\/|files\/)/i
const WHY = "names what the provider keeps for the operator's account, which all tenants share; use a key of your own"

/**
 * Refuses a call with the operator's key that names what an earlier call left at the provider: it may be another tenant's.
 * Throws `not_translatable`.
 */
export function refuseKept(body: JsonObject, plain?: PlainKind): void {
  if (isAudioKind(plain)) {
    // A custom voice stored at the provider. `prompt` is a text here.
    if (isJsonObject(body['voice'] ?? null)) refuseField('voice', WHY)
    return
  }
  for (const name of KEPT) if (body[name] !== undefined && body[name] !== null) refuseField(name, WHY)
  for (const name of SAID) refuseReferences(body[name], name)
  const { tools } = body
  if (!Array.isArray(tools)) return
  for (const [i, tool] of tools.entries()) {
    if (!isJsonObject(tool)) continue
    if (tool['vector_store_ids'] !== undefined) refuseField(`tools[${i}].vector_store_ids`, WHY)
    const { container } = tool
    const hasFiles = isJsonObject(container) && container['file_ids'] !== undefined
    if (typeof container === 'string' || hasFiles) refuseField(`tools[${i}].container`, WHY)
  }
}

function refuseReferences(said: Json | undefined, field: string): void {
  if (Array.isArray(said)) for (const [i, entry] of said.entries()) refuseReferences(entry, `${field}[${i}]`)
  if (!isJsonObject(said)) return
  if (said['type'] === 'item_reference') refuseField(field, WHY)
  if (said['file_id'] !== undefined && said['file_id'] !== null) refuseField(`${field}.file_id`, WHY)
  for (const name of ADDRESSES) {
    const address = said[name]
    if (typeof address === 'string' && KEPT_FILE.test(address)) refuseField(`${field}.${name}`, WHY)
  }
  for (const name of WITHIN) {
    refuseReferences(said[name], `${field}.${name}`)
  }
}
