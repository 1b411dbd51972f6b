import { Buffer } from 'node:buffer'

/** Characters of a text that count. */
const MOST_CHARS = 2000
const GRAM = 3
const LEAST_BITS = 2 ** 12
const MOST_BITS = 2 ** 17
/** Bits for each different trigram: more keep unknown ones from looking known. */
const BITS_PER_GRAM = 8
const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193

/** The hashes (32-bit FNV-1a over UTF-16 units) of the different character trigrams of a text in lower case. */
function gramsOf(text: string): ReadonlySet<number> {
  const folded = ` ${text.slice(0, MOST_CHARS).toLowerCase().trim()} `
  const grams = new Set<number>()
  for (let start = 0; start + GRAM <= folded.length; start++) {
    let hash = FNV_OFFSET
    for (let i = start; i < start + GRAM; i++) hash = Math.imul(hash ^ folded.charCodeAt(i), FNV_PRIME)
    grams.add(hash >>> 0)
  }
  return grams
}

/** Returns the bits of the trigrams of texts: a power of two of them, each trigram at its hash modulo their number. */
export function bitsOf(texts: readonly string[]): Uint8Array {
  const grams = new Set<number>()
  for (const text of texts) for (const gram of gramsOf(text)) grams.add(gram)
  let count = LEAST_BITS
  while (count < grams.size * BITS_PER_GRAM && count < MOST_BITS) count *= 2
  const bits = new Uint8Array(count / 8)
  for (const gram of grams) {
    const place = gram % count
    bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7))
  }
  return bits
}

/** Writes bits as a check holds them. */
export function writeBits(bits: Uint8Array): string {
  return Buffer.from(bits).toString('base64')
}

/** Reads the bits of a check. */
export function readBits(text: string): Uint8Array {
  return Buffer.from(text, 'base64')
}

/** Returns the share of a text's different trigrams that have their bit set; 1 for a text without any. */
export function familiarity(text: string, bits: Uint8Array): number {
  const grams = gramsOf(text)
  if (grams.size === 0 || bits.length === 0) return 1
  const count = bits.length * 8
  let known = 0
  for (const gram of grams) {
    const place = gram % count
    if (((bits[place >> 3] ?? 0) >> (place & 7)) & 1) known++
  }
  return known / grams.size
}
