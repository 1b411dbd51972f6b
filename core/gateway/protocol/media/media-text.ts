import { isBase64, type InlineMedia } from './inline-media.ts'

/** A text in a file, and the same file with another text. */
export interface MediaText {
  readonly text: string
  with(text: string): string
}

/** Media types whose bytes are a text. */
const TEXTUAL = /^text\/|[/+](?:json|xml|yaml|csv|javascript|x-ndjson|jsonl|sql)$/
/** Bytes that tell a text from an image, a sound or an archive. */
const SNIFFED_CHARS = 1024

/**
 * Reads the text of a file: of one whose media type is a text's, and of one whose bytes are UTF-8 without control characters,
 * whatever its type says. Null for images, sounds, PDFs and other bytes. `with` keeps the charset.
 */
export function mediaText(media: InlineMedia): MediaText | null {
  const { head, payload } = media
  if (!media.isBase64) {
    const text = unescaped(payload)
    return { text, with: (other) => head + encodeURIComponent(other) }
  }
  if (!isBase64(payload)) return { text: payload, with: (other) => head + other }
  const isTextual = TEXTUAL.test(media.mime)
  if (!isTextual && !isText(Buffer.from(payload.slice(0, SNIFFED_CHARS), 'base64'), true)) return null
  const bytes = Buffer.from(payload, 'base64')
  const encoding = isText(bytes, false) ? 'utf8' : isTextual ? (isUtf16(bytes) ? 'utf16le' : 'latin1') : null
  if (encoding === null) return null
  return {
    text: bytes.toString(encoding),
    with: (other) => head + Buffer.from(other, encoding).toString('base64'),
  }
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
