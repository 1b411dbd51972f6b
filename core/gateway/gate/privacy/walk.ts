import { inSlices, loopTurn } from '../../../kernel/threads/fair/in-slices.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

/** Sees every text of a body and says what takes its place. */
export interface TextVisitor {
  text(text: string): string
  /** A number in the arguments or the result of a tool. */
  number(value: number): Json
}

/** Members that are names, ids, kinds or addresses: another value in their place would break the call. */
const NEVER_TEXT = new Set(
  `model id type role object tool_call_id call_id tool_use_id item_id response_id previous_response_id file_id cachedContent cached_content
  signature thoughtSignature thought_signature encrypted_content media_type mime_type mimeType detail format url image_url fileUri file_uri file_data
  tool_choice toolChoice toolConfig tool_config allowed_tools stop stop_sequences stopSequences reasoning_effort service_tier modalities voice
  encoding_format anthropic_version truncation include status cache_control prompt_cache_key container conversation vector_store_ids`.split(
    /\s+/,
  ),
)
/** Members that hold a JSON Schema, in which only what explains it is text. */
const SCHEMAS = new Set([
  'parameters',
  'input_schema',
  'inputSchema',
  'schema',
  'parametersJsonSchema',
  'responseSchema',
  'response_schema',
  'responseJsonSchema',
  'json_schema',
])
const EXPLAINING = new Set(['description', 'title', 'default', 'example', 'examples', '$comment'])
/** Members with what a tool is given or gives. */
const DATA = new Set(['input', 'args', 'response', 'output'])
/** Texts that are JSON themselves. */
const JSON_TEXTS = new Set(['arguments', 'partial_json'])
/** Names of tools, which calls repeat. */
const IDENTIFIER = /^[\w.:/-]{1,128}$/

/** Replaces the texts of a body in any dialect. What does not change stays the same object. */
export function mapTexts(body: JsonObject, visitor: TextVisitor): JsonObject {
  const mapped = mapObject(body, visitor, 'body')
  return isJsonObject(mapped) ? mapped : body
}

/**
 * Does the same while the event loop turns after every few texts. Texts are seen in their order, and numbers behind all of
 * them.
 */
export async function mapTextsInSlices(body: JsonObject, visitor: TextVisitor): Promise<JsonObject> {
  const texts: string[] = []
  mapTexts(body, {
    text(text) {
      texts.push(text)
      return text
    },
    number: (value) => value,
  })
  await loopTurn()
  const mapped: string[] = []
  await inSlices(texts, (text) => mapped.push(visitor.text(text)))
  let next = 0
  return mapTexts(body, { text: (text) => mapped[next++] ?? text, number: (value) => visitor.number(value) })
}

/** Where a value stands: in a body, in the data of a tool, or in a JSON Schema. */
type Place = 'body' | 'data' | 'schema'

function mapValue(value: Json, visitor: TextVisitor, place: Place): Json {
  if (typeof value === 'string') return place === 'schema' || isMedia(value) ? value : visitor.text(value)
  if (typeof value === 'number') return place === 'data' ? visitor.number(value) : value
  if (Array.isArray(value)) {
    let changed: Json[] | null = null
    for (const [i, entry] of value.entries()) {
      const mapped = mapValue(entry, visitor, place)
      if (mapped !== entry) (changed ??= [...value])[i] = mapped
    }
    return changed ?? value
  }
  return isJsonObject(value) ? mapObject(value, visitor, place) : value
}

function mapObject(value: JsonObject, visitor: TextVisitor, place: Place): JsonObject {
  let changed: Record<string, Json> | null = null
  const isBase64 = value['type'] === 'base64' || value['mimeType'] !== undefined || value['mime_type'] !== undefined
  for (const [name, member] of Object.entries(value)) {
    const mapped = mapMember(name, member, visitor, { place, isBase64 })
    if (mapped !== member) (changed ??= { ...value })[name] = mapped
  }
  return changed ?? value
}

function mapMember(
  name: string,
  member: Json,
  visitor: TextVisitor,
  within: { readonly place: Place; readonly isBase64: boolean },
): Json {
  const { place, isBase64 } = within
  if (place === 'data') return mapValue(member, visitor, 'data')
  if (place === 'schema') return mapValue(member, visitor, EXPLAINING.has(name) ? 'body' : 'schema')
  if (name === 'data' && (isBase64 || typeof member === 'string')) return member
  if (JSON_TEXTS.has(name) && typeof member === 'string') return mapJsonText(member, visitor)
  // `{ type: 'text', text }` also stands in members whose names are kinds.
  if (NEVER_TEXT.has(name) && (typeof member === 'string' || !isContent(member))) return member
  if (name === 'name' && typeof member === 'string' && IDENTIFIER.test(member)) return member
  if (SCHEMAS.has(name) && isJsonObject(member)) return mapValue(member, visitor, 'schema')
  if (DATA.has(name) && isJsonObject(member)) return mapValue(member, visitor, 'data')
  return mapValue(member, visitor, 'body')
}

/** A text of JSON keeps its form unless something in it changes. */
function mapJsonText(text: string, visitor: TextVisitor): string {
  let value: Json
  try {
    value = JSON.parse(text)
  } catch {
    return visitor.text(text)
  }
  const mapped = mapValue(value, visitor, 'data')
  return mapped === value ? text : JSON.stringify(mapped)
}

function isContent(member: Json): boolean {
  return isJsonObject(member) && typeof member['text'] === 'string'
}

/** A text without a space up to here is none: so begin the bytes of an image, a sound or a file. */
const MOST_UNBROKEN_CHARS = 2000

function isMedia(text: string): boolean {
  if (text.startsWith('data:') && /^data:[\w.+/-]*(?:;[\w=.-]+)*;base64,/.test(text.slice(0, 200))) return true
  return text.length > MOST_UNBROKEN_CHARS && /^[\w+/=-]+$/.test(text.slice(0, MOST_UNBROKEN_CHARS))
}
