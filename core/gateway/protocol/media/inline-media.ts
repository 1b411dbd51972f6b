import type { Json, JsonObject } from '../../../kernel/json/json.ts'

/** A file inside of a body: base64, a data URI, or the text of a data URI without base64. */
export interface InlineMedia {
  /** Lower case; empty where the body names none. */
  readonly mime: string
  /** Text before the payload, which a data URI has. */
  readonly head: string
  readonly payload: string
  readonly isBase64: boolean
}

/** Members that hold the address of a file, which may be a data URI. */
const ADDRESSES = new Set(['url', 'image_url', 'file_url', 'fileUri', 'file_uri', 'file_data', 'video_url'])
const MOST_HEAD_CHARS = 1000

/** Returns the file that a member of an object holds; null for a member that is a text, an id or an address elsewhere. */
export function inlineMedia(name: string, owner: JsonObject): InlineMedia | null {
  const member = owner[name]
  if (typeof member !== 'string') return null
  if (name === 'data') return isData(owner) ? bytesOf(member, mimeOf(owner)) : null
  if (!ADDRESSES.has(name)) return null
  return readUri(member) ?? (name === 'file_data' ? bytesOf(member, '') : null)
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
  return { mime: mime.trim(), head: text.slice(0, comma + 1), payload: text.slice(comma + 1), isBase64 }
}

/** True for a text that is base64 from its beginning to its end, also in the alphabet of URLs, in lines or unpadded. */
export function isBase64(text: string): boolean {
  const length = text.length - whitespaceIn(text)
  return length > 0 && length % 4 !== 1 && !/[^\w+/=\s-]/.test(text) && !/=\s*[^=\s]/.test(text) && !/={3}/.test(text)
}

function whitespaceIn(text: string): number {
  let count = 0
  for (const found of text.matchAll(/\s+/g)) count += found[0].length
  return count
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
