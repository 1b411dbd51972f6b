import { createHash } from 'node:crypto'
import { inSlices } from '../threads/fair/in-slices.ts'
import type { Json } from './json.ts'

/** Characters of a piece. */
const PIECE_CHARS = 64 * 1024

type Frame =
  | { readonly close: '"'; readonly text: string; at: number }
  | { readonly close: ']'; readonly entries: readonly Json[]; at: number }
  | { readonly close: '}'; readonly of: Readonly<Record<string, Json>>; readonly names: readonly string[]; at: number }

/**
 * Yields the JSON text of a value in pieces, each made with little work: as `JSON.stringify` writes it, or in the canonical
 * form (RFC 8785), for which lone surrogates throw a `TypeError`. Members that are undefined are left out.
 */
export function* jsonPieces(value: Json, form: 'plain' | 'canonical'): Generator<string> {
  const frames: Frame[] = []
  let text = ''
  const begin = (one: Json): void => {
    if (typeof one === 'string' && one.length > PIECE_CHARS) {
      text += '"'
      frames.push({ close: '"', text: one, at: 0 })
    } else if (typeof one !== 'object' || one === null) text += primitive(one, form)
    else if (Array.isArray(one)) {
      text += '['
      frames.push({ close: ']', entries: one as readonly Json[], at: 0 })
    } else {
      const of = one as Readonly<Record<string, Json>>
      const names = Object.keys(of).filter((name) => of[name] !== undefined)
      text += '{'
      // In the order of UTF-16 units.
      frames.push({ close: '}', of, names: form === 'canonical' ? names.toSorted() : names, at: 0 })
    }
  }
  begin(value)
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const { at } = frame
    if (at === lengthOf(frame)) {
      text += frame.close
      frames.pop()
    } else if (frame.close === '"') {
      frame.at = endOfPiece(frame.text, at)
      text += primitive(frame.text.slice(at, frame.at), form).slice(1, -1)
    } else {
      frame.at++
      if (at > 0) text += ','
      if (frame.close === ']') begin(frame.entries[at] ?? null)
      else {
        const name = frame.names[at] ?? ''
        text += `${primitive(name, form)}:`
        begin(frame.of[name] ?? null)
      }
    }
    if (text.length < PIECE_CHARS) continue
    yield text
    text = ''
  }
  yield text
}

function lengthOf(frame: Frame): number {
  if (frame.close === '"') return frame.text.length
  return frame.close === ']' ? frame.entries.length : frame.names.length
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd8_00 && unit < 0xdc_00

/** The end of a piece of a text, between two characters. */
function endOfPiece(text: string, start: number): number {
  const end = start + PIECE_CHARS
  if (end >= text.length) return text.length
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
}

function primitive(value: null | boolean | number | string, form: 'plain' | 'canonical'): string {
  if (form === 'canonical' && typeof value === 'string' && !value.isWellFormed())
    throw new TypeError('a lone surrogate has no canonical form')
  return JSON.stringify(value)
}

/** Returns the UTF-8 form of the JSON text of a large value in parts, made while the event loop turns. */
export async function jsonParts(value: Json): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  await inSlices(jsonPieces(value, 'plain'), (piece) => parts.push(Buffer.from(piece)))
  return parts
}

/** Returns the SHA-256 of the canonical form of a large value, hexadecimal, made while the event loop turns. */
export async function canonicalHash(value: Json): Promise<string> {
  const hash = createHash('sha256')
  await inSlices(jsonPieces(value, 'canonical'), (piece) => hash.update(piece))
  return hash.digest('hex')
}
