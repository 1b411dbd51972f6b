import { hash } from 'node:crypto'
import { isJsonObject, type Json, type JsonObject } from '../../../kernel/json/json.ts'

/** A sound in a message, without its bytes. */
interface AudioBlock {
  /** The form in which it is given. */
  readonly kind: 'input_audio' | 'audio' | 'inline_data' | 'data_url'
  readonly mime: string
  readonly source: 'base64' | 'url'
  /** SHA-256 of the bytes; null for an address, and for text that is no base64. */
  readonly sha256: string | null
  /** SHA-256 of the address; null for bytes. */
  readonly urlSha256: string | null
  readonly base64Chars: number
  readonly format: string | null
  /** True for one of more bytes than are looked at: its hash covers the beginning. */
  readonly isTruncated: boolean
}

/** The sounds in messages. */
export interface FoundAudio {
  readonly blocks: readonly AudioBlock[]
  /** All that were seen, also those beyond the listed ones. */
  readonly total: number
  /** Texts that are given as transcripts, joined by lines. */
  readonly transcript: string
}

/** Blocks that are listed, and messages that are looked at. */
const MOST_BLOCKS = 64
const MOST_BASE64_CHARS = Math.ceil((100 * 1024 * 1024) / 3) * 4
const MIMES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  mpeg: 'audio/mpeg',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  opus: 'audio/ogg',
  webm: 'audio/webm',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  pcm16: 'audio/pcm',
}
const DATA_URL = /data:(audio\/[\w.+-]+)(?:;[\w=.-]+)*;base64,([A-Za-z0-9+/=_-]+)/g
const TRANSCRIPTS = ['whisper_transcript', 'transcript'] as const

/** Finds the sounds and transcripts of messages, in the forms of OpenAI, Anthropic and Google and as data URLs in texts. */
export function findAudio(messages: readonly Json[]): FoundAudio {
  const blocks: AudioBlock[] = []
  const transcripts: string[] = []
  let total = 0
  const add = (block: () => AudioBlock | null): void => {
    if (blocks.length >= MOST_BLOCKS) {
      total++
      return
    }
    const found = block()
    if (found === null) return
    total++
    blocks.push(found)
  }
  const readText = (text: string): void => {
    if (!text.includes('data:audio/')) return
    for (const [, mime = '', data = ''] of text.matchAll(DATA_URL)) {
      add(() => ofBytes('data_url', { mime, data, format: mime.split('/')[1] ?? null }))
    }
  }
  const readPart = (part: Json): void => {
    if (typeof part === 'string') return readText(part)
    if (!isJsonObject(part)) return
    transcripts.push(...transcriptsIn(part))
    if (typeof part['text'] === 'string') readText(part['text'])
    const block = blockIn(part)
    if (block !== null) add(block)
  }
  for (const message of messages.slice(0, MOST_BLOCKS)) {
    if (typeof message === 'string') readText(message)
    if (!isJsonObject(message)) continue
    transcripts.push(...transcriptsIn(message))
    const parts = message['content'] ?? message['parts'] ?? message['text']
    for (const part of Array.isArray(parts) ? (parts as readonly Json[]) : [parts ?? null]) readPart(part)
    // The items of responses are parts themselves.
    const block = blockIn(message)
    if (block !== null) add(block)
  }
  return { blocks, total, transcript: transcripts.join('\n') }
}

/** Members of a body that hold messages. */
const TURNS = ['messages', 'contents', 'input'] as const

/** The sounds of bodies that were looked for beside the event loop. */
const known = new WeakMap<JsonObject, FoundAudio | null>()

/** Keeps the sounds of a call that were looked for beside the event loop. */
export function rememberAudio(body: JsonObject, found: FoundAudio | null): void {
  known.set(body, found)
}

/** Finds the sounds of a call in any dialect; null for a call without one. */
export function audioOfCall(body: JsonObject): FoundAudio | null {
  const before = known.get(body)
  if (before !== undefined) return before
  const turns = TURNS.flatMap((name) => {
    const value = body[name]
    return Array.isArray(value) ? (value as readonly Json[]) : typeof value === 'string' ? [value] : []
  })
  // The newest turns count where there are many.
  const found = findAudio(turns.slice(-MOST_BLOCKS))
  return found.total === 0 ? null : found
}

function transcriptsIn(part: JsonObject): readonly string[] {
  const named = TRANSCRIPTS.map((name) => part[name])
  const typed = part['type'] === 'transcript' ? [part['text']] : []
  return [...named, ...typed].filter((text) => typeof text === 'string' && text !== '') as string[]
}

function blockIn(part: JsonObject): (() => AudioBlock | null) | null {
  const { type, source, input_audio: input, inlineData, inline_data } = part
  if (type === 'input_audio' && isJsonObject(input)) {
    const format = textOf(input['format'])
    return () => ofBytes('input_audio', { data: textOf(input['data']), format, mime: mimeOf(format) })
  }
  if (type === 'audio' && isJsonObject(source)) {
    const mime = textOf(source['media_type'])
    const url = textOf(source['url'])
    if (source['type'] === 'url') return () => (url === '' ? null : ofAddress(url, mime))
    return () => ofBytes('audio', { data: textOf(source['data']), format: mime.split('/')[1] ?? null, mime })
  }
  const inline = inlineData ?? inline_data
  if (!isJsonObject(inline)) return null
  const mime = textOf(inline['mimeType'] ?? inline['mime_type'])
  if (!mime.startsWith('audio/')) return null
  return () => ofBytes('inline_data', { data: textOf(inline['data']), format: mime.split('/')[1] ?? null, mime })
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function mimeOf(format: string): string {
  return MIMES[format.toLowerCase()] ?? 'application/octet-stream'
}

function ofBytes(
  kind: AudioBlock['kind'],
  { data, mime, format }: { readonly data: string; readonly mime: string; readonly format: string | null },
): AudioBlock {
  const read = data.slice(0, MOST_BASE64_CHARS)
  const isBase64 = read !== '' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(read)
  return {
    kind,
    mime: mime === '' ? 'application/octet-stream' : mime.slice(0, 100),
    source: 'base64',
    sha256: isBase64 ? hash('sha256', Buffer.from(read, 'base64')) : null,
    urlSha256: null,
    base64Chars: data.length,
    format: format === null || format === '' ? null : format.slice(0, 40),
    isTruncated: read.length < data.length,
  }
}

function ofAddress(url: string, mime: string): AudioBlock {
  return {
    kind: 'audio',
    mime: mime === '' ? 'application/octet-stream' : mime.slice(0, 100),
    source: 'url',
    sha256: null,
    urlSha256: hash('sha256', url),
    base64Chars: 0,
    format: mime.split('/')[1] ?? null,
    isTruncated: false,
  }
}
