import type { CodePointRange } from './pattern.ts'

/** One range of bytes for each byte of an encoded character. */
export type ByteRanges = readonly (readonly [low: number, high: number])[]

const LENGTH_ENDS = [0x7f, 0x7ff, 0xffff, 0x10ffff]

/**
 * The UTF-8 forms of a range of code points as sequences of byte ranges: the range is cut where the number of bytes
 * changes and where a continuation byte does not run over all its values (as in Thompson's construction for UTF-8,
 * described in Cox, "Regular Expression Matching in the Wild", 2010).
 */
export function utf8Ranges([first, last]: CodePointRange): readonly ByteRanges[] {
  const out: ByteRanges[] = []
  let start = first
  for (const end of LENGTH_ENDS) {
    if (start > last) break
    if (start <= end) {
      splitContinuations(start, Math.min(end, last), out)
      start = end + 1
    }
  }
  return out
}

/** Both ends have encodings of one length. */
function splitContinuations(first: number, last: number, out: ByteRanges[]): void {
  const continuations = encodedLength(first) - 1
  for (let index = continuations; index > 0; index--) {
    const mask = (1 << (6 * index)) - 1
    if ((first & ~mask) === (last & ~mask)) continue
    if ((first & mask) !== 0) {
      splitContinuations(first, first | mask, out)
      splitContinuations((first | mask) + 1, last, out)
      return
    }
    if ((last & mask) !== mask) {
      splitContinuations(first, (last & ~mask) - 1, out)
      splitContinuations(last & ~mask, last, out)
      return
    }
  }
  const low = encode(first)
  const high = encode(last)
  out.push(low.map((byte, index) => [byte, high[index] ?? byte]))
}

function encodedLength(point: number): number {
  return LENGTH_ENDS.findIndex((end) => point <= end) + 1
}

function encode(point: number): readonly number[] {
  if (point <= 0x7f) return [point]
  const length = encodedLength(point)
  const bytes: number[] = []
  for (let index = length - 1; index > 0; index--) bytes.push(0x80 | ((point >> (6 * (length - 1 - index))) & 0x3f))
  const lead = (0xf00 >> length) & 0xff
  return [lead | (point >> (6 * (length - 1))), ...bytes.reverse()]
}
