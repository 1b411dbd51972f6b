import { endOfTerms, termsOf, vectorText } from './terms.ts'

/** A part of a document that is found as a whole. */
export interface Chunk {
  readonly text: string
  /** The position of its first character in the text of the document, in UTF-16 code units. */
  readonly start: number
  /** Its terms as the text of a `tsvector`. */
  readonly vector: string
  /** Number of its terms. */
  readonly length: number
}

/** Characters of a chunk: some paragraphs, so that an answer fits and little else is beside it. */
const CHUNK_CHARS = 1200
/** Characters that the next chunk repeats, so that a sentence on the border is whole in one of both. */
const OVERLAP_CHARS = 150
/** A `tsvector` keeps at most 255 places of a word; a chunk has fewer words than that. */
export const MOST_CHUNK_TERMS = 240

/** Ends of chunks, best first: behind a paragraph, a line, a sentence, a word. */
const BORDERS = [/\n\s*\n/g, /\n/g, /[.!?…]\s/g, /\s/g] as const

/** Cuts a text into chunks at the ends of paragraphs, lines, sentences or words. White space alone is no chunk. */
export function chunkText(text: string): readonly Chunk[] {
  const chunks: Chunk[] = []
  let start = 0
  while (start < text.length) {
    const end = endWithin(text, start)
    const piece = text.slice(start, end)
    const chunk = piece.trim()
    if (chunk !== '') {
      const at = start + piece.indexOf(chunk)
      const terms = termsOf(chunk)
      chunks.push({ text: chunk, start: at, vector: vectorText(terms), length: terms.length })
    }
    if (end >= text.length) break
    start = Math.max(nextStart(text, start, end), start + 1)
  }
  return chunks
}

/** The end of a chunk that has no more terms than are counted. */
function endWithin(text: string, start: number): number {
  const end = endOf(text, start)
  const last = endOfTerms(text.slice(start, end), MOST_CHUNK_TERMS)
  return last === undefined ? end : Math.max(start + last, start + 1)
}

function endOf(text: string, start: number): number {
  const limit = start + CHUNK_CHARS
  if (limit >= text.length) return text.length
  const least = start + CHUNK_CHARS / 2
  const half = text.slice(least, limit)
  for (const border of BORDERS) {
    let end = -1
    for (const found of half.matchAll(border)) end = found.index + found[0].length
    if (end > 0) return least + end
  }
  return wholeCharacter(text, limit)
}

/** The next chunk begins with a word, at most the overlap before the end of the last, and behind the middle of it. */
function nextStart(text: string, start: number, end: number): number {
  const from = Math.max(end - OVERLAP_CHARS, Math.ceil((start + end) / 2))
  const space = text.slice(from, end).search(/\s/)
  return space === -1 ? end : from + space + 1
}

/** Does not cut a character of two code units. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1)
  return unit >= 0xd800 && unit < 0xdc00 ? at - 1 : at
}
