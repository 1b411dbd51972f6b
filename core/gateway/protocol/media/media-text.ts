import { isBase64, type InlineMedia } from './inline-media.ts'

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

/** Media types whose bytes are a text. */
const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|csv|javascript|x-ndjson|jsonl|sql)$/
/** First bytes that tell a text from an image, a sound or an archive. */
const SNIFFED_BYTES = 768

/** Reads the text of a file in a body, see `fileText`; base64 that is none is itself the text. */
export function mediaText({ head, payload, mime, isBase64: isEncoded }: InlineMedia): MediaText | null {
  if (!isEncoded) return { text: unescaped(payload), with: (text) => head + encodeURIComponent(text) }
  if (!isBase64(payload)) return { text: payload, with: (text) => head + text }
  const begin = Buffer.from(payload.slice(0, (SNIFFED_BYTES / 3) * 4), 'base64')
  if (!TEXTUAL.test(mime) && !isText(begin, true)) return null
  const inside = fileText(Buffer.from(payload, 'base64'), mime)
  return inside && { text: inside.text, with: (text) => head + inside.with(text).toString('base64') }
}

/**
 * Reads the text of a file: of one whose media type is a text's, and of one whose bytes are UTF-8 without control characters,
 * whatever its type says. Null for images, sounds, PDFs and other bytes. `with` keeps the charset.
 */
export function fileText(bytes: Buffer, mime: string): FileText | null {
  const isTextual = TEXTUAL.test(mime)
  if (!isTextual && !isText(bytes.subarray(0, SNIFFED_BYTES), true)) return null
  const encoding = isText(bytes, false) ? 'utf8' : isTextual ? (isUtf16(bytes) ? 'utf16le' : 'latin1') : null
  return encoding && { text: bytes.toString(encoding), with: (text) => Buffer.from(text, encoding) }
}

function isUtf16(bytes: Buffer): boolean {
  return bytes[0] === 0xff && bytes[1] === 0xfe
}

/** True for UTF-8 without control characters; a PDF begins as one. `isCut`: the last character may be cut off. */
function isText(bytes: Buffer, isCut: boolean): boolean {
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return false
  for (const byte of bytes) if (byte < 0x20 && !isSpace(byte)) return false
  try {
    new TextDecoder('utf8', { fatal: true }).decode(bytes, { stream: isCut })
    return true
  } catch {
    return false
  }
}

function isSpace(byte: number): boolean {
  return byte >= 0x09 && byte <= 0x0d
}

function unescaped(payload: string): string {
  try {
    return decodeURIComponent(payload)
  } catch {
    return payload
  }
}
