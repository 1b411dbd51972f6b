import { isJsonObject, type Json, type JsonObject } from '../../kernel/json/json.ts'
import { isAudioKind, type PlainKind } from './providers.ts'
import { refuseField } from '../protocol/dialects/fields.ts'
import { OF_THE_CALLER } from '../protocol/dialects/responses/id-places.ts'
import { needsOf } from '../protocol/dialects/responses/references.ts'

/** Members of a body that name what a provider keeps for an account. */
const KEPT = ['conversation', 'prompt', 'cachedContent', 'cached_content'] as const
/** Members with what is said, where files and earlier items may be named. */
const SAID = [
  'input',
  'messages',
  'contents',
  'content',
  'requests',
  'system',
  'systemInstruction',
  'system_instruction',
] as const
/** Members inside of those. */
const WITHIN = [
  'content',
  'output',
  'parts',
  'source',
  'file',
  'fileData',
  'file_data',
  'image_url',
  'functionResponse',
  'function_response',
] as const
/** Members with an address, and the addresses of files that Google keeps. */
const ADDRESSES = ['fileUri', 'file_uri', 'url', 'image_url'] as const
const KEPT_FILE = /^(https?:\/\/generativelanguage\.googleapis\.com\/|files\/)/i
const WHY = "names what the provider keeps for the operator's account, which all tenants share; use a key of your own"
const WHY_EARLIER =
  "names what this tenant did not receive with the operator's key, or too long ago: send the items themselves, as clients do with store: false"

/**
 * Refuses a call with the operator's key that names what an earlier call left at the provider: it may be another tenant's.
 * `isReceived` is true for an id of a response or an item that the provider gave this tenant. Throws `not_translatable`.
 */
export function refuseKept(
  body: JsonObject,
  plain?: PlainKind,
  isReceived: (id: string) => boolean = () => false,
): void {
  if (isAudioKind(plain)) {
    // A custom voice stored at the provider. `prompt` is a text here.
    if (isJsonObject(body['voice'] ?? null)) refuseField('voice', WHY)
    return
  }
  refuseIn(body, '', isReceived)
  // A count of tokens in Google's form may hold a whole request.
  for (const name of ['generateContentRequest', 'generate_content_request'] as const) {
    const whole = body[name]
    if (whole !== undefined && isJsonObject(whole)) refuseIn(whole, `${name}.`, isReceived)
  }
}

/** Refuses a request; `at` stands before the names of its fields. */
function refuseIn(body: JsonObject, at: string, isReceived: (id: string) => boolean): void {
  for (const name of KEPT) if (body[name] !== undefined && body[name] !== null) refuseField(`${at}${name}`, WHY)
  for (const name of SAID) refuseReferences(body[name], `${at}${name}`)
  const { tools, input, previous_response_id: previous } = body
  if (previous !== undefined && previous !== null && !(typeof previous === 'string' && isReceived(previous))) {
    refuseField(`${at}previous_response_id`, WHY_EARLIER)
  }
  if (Array.isArray(input)) {
    for (const [i, item] of input.entries()) {
      for (const [id, path] of needsOf(item)) if (!isReceived(id)) refuseField(`${at}input[${i}]${path}`, WHY_EARLIER)
    }
  }
  const { container: kept, background } = body
  if (typeof kept === 'string' || idOf(kept) !== undefined) refuseField(`${at}container`, WHY)
  if (background === true) refuseField(`${at}background`, 'is billed after the answer: use a key of your own')
  if (!Array.isArray(tools)) return
  for (const [i, tool] of tools.entries()) {
    if (!isJsonObject(tool)) continue
    const field = `${at}tools[${i}]`
    if (tool['vector_store_ids'] !== undefined) refuseField(`${field}.vector_store_ids`, WHY)
    const { container } = tool
    const hasFiles = isJsonObject(container) && container['file_ids'] !== undefined
    refuseInTool(tool, field, isReceived)
    if ((typeof container === 'string' && !isReceived(container)) || hasFiles) refuseField(`${field}.container`, WHY)
  }
}

function idOf(value: Json | undefined): Json | undefined {
  return value !== undefined && isJsonObject(value) ? (value['id'] ?? undefined) : undefined
}

/** Members below a tool that name files and stores. */
const STORED_IN_TOOLS: ReadonlySet<string> = new Set(['file_id', 'fileSearchStoreNames', 'file_search_store_names'])

/** Looks for files, stores and containers below a tool. */
function refuseInTool(value: JsonObject, field: string, isReceived: (id: string) => boolean): void {
  for (const [name, member] of Object.entries(value)) {
    if (STORED_IN_TOOLS.has(name) && member !== null) refuseField(`${field}.${name}`, WHY)
    if (name === 'container_id' && !(typeof member === 'string' && isReceived(member))) {
      refuseField(`${field}.${name}`, WHY)
    }
    if (isJsonObject(member) && !OF_THE_CALLER.has(name)) refuseInTool(member, `${field}.${name}`, isReceived)
  }
}

function refuseReferences(said: Json | undefined, field: string): void {
  if (Array.isArray(said)) for (const [i, entry] of said.entries()) refuseReferences(entry, `${field}[${i}]`)
  if (!isJsonObject(said)) return
  const { audio } = said
  if (audio !== undefined && isJsonObject(audio) && audio['id'] !== undefined) refuseField(`${field}.audio.id`, WHY)
  if (said['file_id'] !== undefined && said['file_id'] !== null) refuseField(`${field}.file_id`, WHY)
  for (const name of ADDRESSES) {
    const address = said[name]
    if (typeof address === 'string' && KEPT_FILE.test(address)) refuseField(`${field}.${name}`, WHY)
  }
  for (const name of WITHIN) {
    refuseReferences(said[name], `${field}.${name}`)
  }
}
