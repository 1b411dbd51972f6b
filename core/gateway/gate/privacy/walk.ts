import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'
import { valueIn } from '../../../kernel/json/json-text.ts'
import { inlineMedia, readUri, unescaped, type InlineMedia } from '../../protocol/media/inline-media.ts'
import { isEncoded, mediaText } from '../../protocol/media/media-text.ts'

/** Sees every text of a body and says what takes its place. */
export interface TextVisitor {
  text(text: string): string
  /** The name of a tool, which calls, choices and answers repeat. */
  name(name: string): string
  /** The name of an argument, or of a property or a definition in a JSON Schema, and a part of what points to one. */
  property(name: string): string
  /** A text that must stay equal to one elsewhere: a value that a JSON Schema fixes. */
  fixed(text: string): string
  /** A number in the arguments or the result of a tool. */
  number(value: number): Json
  /** A number that a JSON Schema fixes. */
  fixedNumber(value: number): Json
}

/** Members that are ids, kinds or addresses: another value in their place would break the call. */
const NEVER_TEXT = new Set(
  `model id type role object tool_call_id call_id tool_use_id item_id response_id previous_response_id file_id cachedContent cached_content
  signature thoughtSignature thought_signature encrypted_content media_type mime_type mimeType detail format url image_url file_url fileUri
  file_uri video_url tool_choice toolChoice toolConfig tool_config allowed_tools reasoning_effort service_tier modalities voice
  encoding_format anthropic_version truncation include status cache_control prompt_cache_key container container_id
  approval_request_id conversation vector_store_ids`.split(/\s+/),
)
/** Those of them that may be objects with texts or files. */
const WRAPPERS = new Set(['format', 'image_url', 'video_url', 'url'])
/** Members that hold a JSON Schema. */
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
/** Members of a schema that explain it. */
const EXPLAINING = new Set(['description', 'title', '$comment'])
/** Places of the other members of a schema that hold no schema. */
const SCHEMA_PLACES: ReadonlyMap<string, Place> = new Map<string, Place>([
  ...['enum', 'const', 'default', 'example', 'examples', 'pattern'].map((name) => [name, 'fixed'] as const),
  ...['required', 'dependentRequired', 'propertyOrdering'].map((name) => [name, 'names'] as const),
  ...['properties', 'patternProperties', 'dependentSchemas'].map((name) => [name, 'properties'] as const),
  ...['$defs', 'definitions'].map((name) => [name, 'definitions'] as const),
  ...['$anchor', '$dynamicAnchor'].map((name) => [name, 'names'] as const),
  ...['$ref', '$dynamicRef'].map((name) => [name, 'reference'] as const),
])
/** Members of a schema whose members are named, as a pointer into it says: `#/$defs/name`. */
const NAMING: ReadonlySet<string> = new Set(
  [...SCHEMA_PLACES].filter(([, place]) => place === 'properties' || place === 'definitions').map(([name]) => name),
)
/** Members with what a tool is given, whose names the schema of the tool says. */
const ARGUMENTS = new Set(['input', 'args', 'arguments'])
/** Members with data of the caller, whose names are its own: what a tool gives, and what a call is labelled with. */
const DATA = new Set(['response', 'output', 'metadata'])
/** Texts that are JSON themselves. */
const JSON_TEXTS = new Set(['arguments', 'partial_json'])
/** Names of tools. */
const IDENTIFIER = /^[\w.:/-]{1,128}$/
const TOOL_ROLES: ReadonlySet<Json | undefined> = new Set([undefined, 'tool', 'function'])

/** Replaces the texts of a body in any dialect. What does not change stays the same object. */
export function mapTexts(body: JsonObject, visitor: TextVisitor): JsonObject {
  return mapObject(body, visitor, 'body')
}

/** Returns a visitor that sees every text alike, and leaves numbers. */
export function visitorOf(text: (text: string) => string): TextVisitor {
  return { text, name: text, property: text, fixed: text, number: (value) => value, fixedNumber: (value) => value }
}

type TextKind = Exclude<keyof TextVisitor, 'number' | 'fixedNumber'>

/**
 * Where a value stands: in a body, in arguments of a tool, in data of the caller, in a JSON Schema, among its properties or definitions, or in a
 * member of it that holds fixed values, names of properties, or a reference to a part of the schema.
 */
type Place = 'body' | 'arguments' | 'data' | 'schema' | 'properties' | 'definitions' | 'fixed' | 'names' | 'reference'

/** Kinds by which the texts of a place, and the names of its members, are seen; null where they stay. */
const SEEN: Readonly<Record<Place, readonly [texts: TextKind | null, names: TextKind | null]>> = {
  body: ['text', null],
  arguments: ['text', 'property'],
  data: ['text', 'fixed'],
  schema: [null, null],
  properties: [null, 'property'],
  definitions: [null, 'property'],
  fixed: ['fixed', 'property'],
  names: ['property', 'property'],
  reference: [null, null],
}

function mapValue(value: Json, visitor: TextVisitor, place: Place): Json {
  if (typeof value === 'string') {
    if (place === 'reference') return mapReference(value, visitor)
    const [kind] = SEEN[place]
    return kind === null ? value : mapText(value, visitor, kind)
  }
  if (typeof value === 'number') return mapNumber(value, visitor, place)
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

function mapNumber(value: number, visitor: TextVisitor, place: Place): Json {
  return place === 'data' || place === 'arguments'
    ? visitor.number(value)
    : place === 'fixed'
      ? visitor.fixedNumber(value)
      : value
}

/** A pointer into a schema names properties and definitions, so its parts change as these do. */
function mapReference(reference: string, visitor: TextVisitor): string {
  const hash = reference.indexOf('#')
  if (hash === -1) return reference
  const parts = reference.slice(hash + 1).split('/')
  const mapped = parts.map((part, at) => {
    // What is no anchor, and no name behind a member that has such, stays as what it points to does.
    if (at > 0 && !NAMING.has(parts[at - 1] ?? '')) return part
    const name = unescaped(part).replaceAll('~1', '/').replaceAll('~0', '~')
    const called = visitor.property(name)
    return called === name ? part : encodeURIComponent(called.replaceAll('~', '~0').replaceAll('/', '~1'))
  })
  const isSame = mapped.every((part, i) => part === parts[i])
  return isSame ? reference : `${reference.slice(0, hash + 1)}${mapped.join('/')}`
}

function mapObject(value: JsonObject, visitor: TextVisitor, place: Place): JsonObject {
  const [, kind] = SEEN[place]
  const members = Object.entries(value)
  let changed: [string, Json][] | null = null
  for (const [i, [name, member]] of members.entries()) {
    const called = kind === null ? name : visitor[kind](name)
    const mapped = mapMember(name, visitor, { owner: value, member, place })
    if (called !== name || mapped !== member) (changed ??= [...members])[i] = [called, mapped]
  }
  return changed === null ? value : objectOf(changed)
}

/** An object of members, of which two may have got one name. */
function objectOf(members: readonly (readonly [string, Json])[]): JsonObject {
  const names = new Set<string>()
  return Object.fromEntries(
    members.map(([name, member]) => {
      let apart = name
      for (let count = 2; names.has(apart); count++) apart = `${name}_${count}`
      names.add(apart)
      return [apart, member]
    }),
  )
}

function mapMember(
  name: string,
  visitor: TextVisitor,
  { owner, member, place }: { readonly owner: JsonObject; readonly member: Json; readonly place: Place },
): Json {
  if (place === 'arguments' || place === 'data' || place === 'fixed' || place === 'names' || place === 'reference') {
    return mapValue(member, visitor, place)
  }
  if (place === 'properties' || place === 'definitions') return mapValue(member, visitor, 'schema')
  if (place === 'schema') {
    return mapValue(member, visitor, EXPLAINING.has(name) ? 'body' : (SCHEMA_PLACES.get(name) ?? 'schema'))
  }
  if (typeof member === 'string') return mapNamedText(name, visitor, { owner, text: member })
  // `{ type: 'text', text }` also stands in members whose names are kinds.
  if (NEVER_TEXT.has(name) && !WRAPPERS.has(name) && !isContent(member)) return member
  if (!isJsonObject(member)) return mapValue(member, visitor, 'body')
  if (SCHEMAS.has(name) && !isJsonObject(member['schema'] ?? null)) return mapValue(member, visitor, 'schema')
  return mapValue(member, visitor, ARGUMENTS.has(name) ? 'arguments' : DATA.has(name) ? 'data' : 'body')
}

function mapNamedText(
  name: string,
  visitor: TextVisitor,
  { owner, text }: { readonly owner: JsonObject; readonly text: string },
): string {
  const media = inlineMedia(name, owner)
  if (media !== null) return mapMedia(text, media, visitor)
  if (JSON_TEXTS.has(name)) return mapJsonText(text, visitor)
  if (NEVER_TEXT.has(name) || (name === 'data' && isEncrypted(owner))) return text
  if (name === 'name' && TOOL_ROLES.has(owner['role']) && IDENTIFIER.test(text)) return visitor.name(text)
  return mapText(text, visitor)
}

/** True for thoughts of a model that only its provider can read, and that it takes back unchanged. */
function isEncrypted({ type }: JsonObject): boolean {
  return type === 'redacted_thinking' || (typeof type === 'string' && type.endsWith('.encrypted'))
}

/** A text that is a file as a whole is read as one. */
function mapText(text: string, visitor: TextVisitor, kind: TextKind = 'text'): string {
  const media = readUri(text)
  return media !== null && isEncoded(media) ? mapMedia(text, media, visitor, kind) : visitor[kind](text)
}

function mapMedia(whole: string, media: InlineMedia, visitor: TextVisitor, kind: TextKind = 'text'): string {
  const inside = mediaText(media)
  if (inside === null) return whole
  const mapped = visitor[kind](inside.text)
  return mapped === inside.text ? whole : inside.with(mapped)
}

/** A literal of JSON: escapes hide what it says from who reads the text as it stands. */
const LITERAL = /"(?:[^"\\]|\\.)*"/gs

/** A text of JSON keeps its form unless something in it changes. Of one that nests too deep, or is none, the literals are read. */
function mapJsonText(text: string, visitor: TextVisitor): string {
  const value = valueIn(text)
  if (value === undefined) return visitor.text(text.replaceAll(LITERAL, (literal) => mapLiteral(literal, visitor)))
  const mapped = mapValue(value, visitor, 'arguments')
  return mapped === value ? text : JSON.stringify(mapped)
}

function mapLiteral(literal: string, visitor: TextVisitor): string {
  if (!literal.includes('\\')) return literal
  const said = valueIn(literal)
  if (typeof said !== 'string') return literal
  const mapped = visitor.text(said)
  return mapped === said ? literal : JSON.stringify(mapped)
}

function isContent(member: Json): boolean {
  return isJsonObject(member) && typeof member['text'] === 'string'
}
