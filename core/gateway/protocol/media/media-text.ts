import { isUtf8 } from 'node:buffer'
import { bytesOfBase64 } from './base64.ts'
import { unescaped, type InlineMedia } from './inline-media.ts'

/** A text in a file of a body, and the same file with another text. */
export interface MediaText {
  readonly text: string
  with(text: string): string
}

/** The text of a file, and its bytes with another one. */
export interface FileText {
  readonly text: string
  with(text: string): Buffer<ArrayBuffer>
}

/** A file of a body whose payload was decoded. */
interface DecodedMedia {
  /** True for one whose payload is base64, as it is said to be. */
  readonly isBase64: boolean
  /** Null for images, sounds and other bytes. */
  readonly text: MediaText | null
}

/** Media types whose bytes are a text. */
const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|csv|javascript|x-ndjson|jsonl|sql)$/
/** First bytes that tell a text from an image, a sound or an archive. */
export const SNIFFED_BYTES = 768

/** A file is decoded once, however many parts of the gate look at it. */
const known = new WeakMap<InlineMedia, DecodedMedia>()

/** True for a file in base64 that is base64 from its beginning to its end. */
export function isEncoded(media: InlineMedia): boolean {
  return media.isBase64 && decode(media).isBase64
}

/** Reads the text of a file in a body, see `fileText`; base64 that is none is itself the text. */
export function mediaText(media: InlineMedia): MediaText | null {
  return decode(media).text
}

function decode(media: InlineMedia): DecodedMedia {
  const before = known.get(media)
  if (before !== undefined) return before
  const decoded = decodeNow(media)
  known.set(media, decoded)
  return decoded
}

function decodeNow({ head, payload, mime, isBase64 }: InlineMedia): DecodedMedia {
  if (!isBase64) {
    const text = { text: unescaped(payload), with: (other: string) => head + encodeURIComponent(other) }
    return { isBase64, text }
  }
  const bytes = bytesOfBase64(payload)
  if (bytes === null) return { isBase64: false, text: { text: payload, with: (text) => head + text } }
  const inside = fileText(bytes, mime)
  return {
    isBase64,
    text: inside && { text: inside.text, with: (text) => head + inside.with(text).toString('base64') },
  }
}

/**
 * Reads the text of a file: of one whose media type is a text's, and of one whose bytes are UTF-8 without control characters,
 * whatever its type says. Null for images, sounds, PDFs and other bytes. `with` keeps the charset.
 */
export function fileText(bytes: Buffer, mime: string): FileText | null {
  if (!mayBeText(bytes.subarray(0, SNIFFED_BYTES), mime)) return null
  const isTextual = TEXTUAL.test(mime)
  const text = plainText(bytes)
  if (text !== null) return { text, with: (other) => Buffer.from(other, 'utf8') }
  const encoding = isTextual ? (isUtf16(bytes) ? 'utf16le' : 'latin1') : null
  return encoding && { text: bytes.toString(encoding), with: (other) => Buffer.from(other, encoding) }
}

/** False for a file that is no text, whatever follows on its first bytes. */
export function mayBeText(begin: Buffer, mime: string): boolean {
  return TEXTUAL.test(mime) || isTextBegin(begin)
}

function isUtf16(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe
}

/** True for the beginning of UTF-8 without control characters, whose last character may be cut off. */
function isTextBegin(bytes: Buffer): boolean {
  if (isPdf(bytes) || bytes.some((byte) => byte < 0x20 && !isSpace(byte))) return false
  try {
    new TextDecoder('utf8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

// oxlint-disable-next-line no-control-regex -- these are the ones that no text has
const CONTROL = /[\u0000-\u0008\u000E-\u001F]/

/** The text of bytes that are UTF-8 without control characters; null for any other, and for a PDF, which begins as one. */
function plainText(bytes: Buffer): string | null {
  if (isPdf(bytes) || !isUtf8(bytes)) return null
  const text = bytes.toString('utf8')
  return CONTROL.test(text) ? null : text
}

function isPdf(bytes: Buffer): boolean {
  return bytes.subarray(0, 5).toString('latin1') === '%PDF-'
}

function isSpace(byte: number): boolean {
  return byte >= 0x09 && byte <= 0x0d
}
