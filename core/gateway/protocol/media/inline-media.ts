import type { Json, JsonObject } from '../../../kernel/json/json.ts'

/** A file inside of a body: base64, a data URI, or the text of a data URI without base64. */
export interface InlineMedia {
  /** Lower case; empty where the body names none. */
  readonly mime: string
  /** Text before the payload, which a data URI has. */
  readonly head: string
  /** Without the escapes that base64 may have in a URI. */
  readonly payload: string
  readonly isBase64: boolean
}

/** Members that hold the address of a file, which may be a data URI. */
const ADDRESSES = new Set(['url', 'image_url', 'file_url', 'fileUri', 'file_uri', 'file_data', 'video_url'])
const MOST_HEAD_CHARS = 1000

/** Files by the object that holds them: every part of the gate that looks at a body finds them as they were read. */
const known = new WeakMap<JsonObject, Map<string, InlineMedia>>()

/** Returns the file that a member of an object holds; null for a member that is a text, an id or an address elsewhere. */
export function inlineMedia(name: string, owner: JsonObject): InlineMedia | null {
  if (name !== 'data' && !ADDRESSES.has(name)) return null
  const member = owner[name]
  if (typeof member !== 'string') return null
  const read = known.get(owner)?.get(name)
  if (read !== undefined) return read
  const media = name === 'data' ? dataOf(member, owner) : (readUri(member) ?? fileOf(member, name))
  if (media !== null) {
    const ofOwner = known.get(owner) ?? new Map<string, InlineMedia>()
    known.set(owner, ofOwner.set(name, media))
  }
  return media
}

function dataOf(member: string, owner: JsonObject): InlineMedia | null {
  return isData(owner) ? bytesOf(member, mimeOf(owner)) : null
}

function fileOf(member: string, name: string): InlineMedia | null {
  return name === 'file_data' ? bytesOf(member, '') : null
}

/** Members with data of the caller and of its tools, which hold no files for a model. */
const DATA = new Set(['tools', 'arguments', 'args', 'response', 'metadata', 'response_format', 'generationConfig'])

/** True for a member with data of the caller or of its tools: a model reads it as text, whatever form it has. */
export function isCallerData(name: string, owner: JsonObject): boolean {
  return DATA.has(name) || (name === 'input' && owner['type'] === 'tool_use')
}

/** True for a member that holds the address of a file. */
export function isAddress(name: string): boolean {
  return ADDRESSES.has(name)
}

/** Reads a data URI; null for any other text. */
export function readUri(text: string): InlineMedia | null {
  if (!/^data:/i.test(text.slice(0, 5))) return null
  const comma = text.slice(0, MOST_HEAD_CHARS).indexOf(',')
  if (comma === -1) return null
  const [mime = '', ...parameters] = text.slice('data:'.length, comma).toLowerCase().split(';')
  const isBase64 = parameters.at(-1)?.trim() === 'base64'
  const payload = text.slice(comma + 1)
  return {
    mime: mime.trim(),
    head: text.slice(0, comma + 1),
    payload: isBase64 ? unescaped(payload) : payload,
    isBase64,
  }
}

/** Returns a text without the escapes of URIs; a text with escapes that are none as it is. */
export function unescaped(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function bytesOf(payload: string, mime: string): InlineMedia {
  return readUri(payload) ?? { mime, head: '', payload, isBase64: true }
}

const SOUNDS: ReadonlySet<Json | undefined> = new Set('wav mp3 flac opus aac ogg m4a webm pcm16 aiff'.split(' '))

/** True for an object whose member `data` is a file: it names base64, a media type or the form of a sound. */
function isData(owner: JsonObject): boolean {
  return owner['type'] === 'base64' || mimeOf(owner) !== ''
}

function mimeOf({ type, format, media_type: own, mimeType, mime_type: other }: JsonObject): string {
  if (type === 'text') return ''
  const given = own ?? mimeType ?? other
  if (typeof given === 'string') return given.toLowerCase().split(';')[0]?.trim() ?? ''
  return typeof format === 'string' && SOUNDS.has(format) ? `audio/${format}` : ''
}
