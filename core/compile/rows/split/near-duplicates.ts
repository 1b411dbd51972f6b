import type { Json } from '../../../kernel/json/json.ts'
import { foldedWords, inputText } from './input-text.ts'

const SHINGLE_WORDS = 5
/** Bands of a signature. */
export const BANDS = 16
const ROWS_PER_BAND = 8
/** Numbers of a signature. */
export const SLOTS = BANDS * ROWS_PER_BAND
/** Jaccard similarity from which on two texts are near-duplicates. */
export const SIMILAR = 0.85
/** Texts are compared by their first shingles; two that differ only beyond them are similar enough. */
const MAX_SHINGLES = 400
/** Members of a band's bucket that a row is compared with; keeps a bucket of many rows from costing their square. */
export const COMPARED_PER_BUCKET = 8

/** 32-bit FNV-1a over UTF-16 code units. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Returns the hashes of the distinct word-5-shingles of a text, ascending. */
export function shinglesOf(words: readonly string[]): Uint32Array {
  const distinct = new Set<number>()
  for (let i = 0; i + SHINGLE_WORDS <= words.length && distinct.size < MAX_SHINGLES; i++) {
    distinct.add(hashText(words.slice(i, i + SHINGLE_WORDS).join(' ')))
  }
  return Uint32Array.from(distinct).sort()
}

/** Multipliers and addends of the 128 hash functions, from a fixed generator. */
function createHashFunctions(): { readonly multipliers: Uint32Array; readonly addends: Uint32Array } {
  const multipliers = new Uint32Array(SLOTS)
  const addends = new Uint32Array(SLOTS)
  let state = 0x9e3779b9
  const next = (): number => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9
    return (state ^ (state >>> 13)) >>> 0
  }
  for (let i = 0; i < SLOTS; i++) {
    multipliers[i] = next() | 1
    addends[i] = next()
  }
  return { multipliers, addends }
}

const { multipliers, addends } = createHashFunctions()

/** Writes the min-hash signature of shingles. */
export function minHash(shingles: Uint32Array, signature: Uint32Array): void {
  signature.fill(0xffffffff)
  for (const shingle of shingles) {
    for (let slot = 0; slot < SLOTS; slot++) {
      let value = (Math.imul(shingle, multipliers[slot] ?? 1) + (addends[slot] ?? 0)) | 0
      value = (value ^ (value >>> 16)) >>> 0
      if (value < (signature[slot] ?? 0)) signature[slot] = value
    }
  }
}

/** Returns a 53-bit hash of a band; a collision costs one exact comparison. */
export function hashBand(signature: Uint32Array, band: number): number {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let i = band * ROWS_PER_BAND; i < (band + 1) * ROWS_PER_BAND; i++) {
    const value = signature[i] ?? 0
    low = Math.imul(low ^ value, 0x01000193)
    high = Math.imul(high ^ value, 0x85ebca6b) ^ (high >>> 13)
  }
  return (low >>> 0) + (high & 0x1fffff) * 2 ** 32
}

function jaccard(a: Uint32Array, b: Uint32Array): number {
  let shared = 0
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    const left = a[i] ?? 0
    const right = b[j] ?? 0
    if (left === right) shared++
    if (left <= right) i++
    if (right <= left) j++
  }
  return shared / (a.length + b.length - shared)
}

/** Disjoint sets of row numbers (union by smaller root, path halving). */
export class RowSets {
  readonly #parents: Uint32Array

  constructor(rows: number) {
    this.#parents = Uint32Array.from({ length: rows }, (_, i) => i)
  }

  root(row: number): number {
    let at = row
    for (let parent = this.#parents[at] ?? at; parent !== at; parent = this.#parents[at] ?? at) {
      this.#parents[at] = this.#parents[parent] ?? parent
      at = parent
    }
    return at
  }

  join(a: number, b: number): void {
    const left = this.root(a)
    const right = this.root(b)
    this.#parents[Math.max(left, right)] = Math.min(left, right)
  }
}

/**
 * Groups inputs that are nearly the same: equal folded words, or word-5-shingles with a Jaccard similarity of at
 * least 0.85 (candidates by min-hash, 16 bands of 8 rows: Broder 1997; each pair then checked exactly).
 * @returns the group of each row, named by its first row
 */
export function groupNearDuplicates(inputs: readonly Json[]): Uint32Array {
  const sets = new RowSets(inputs.length)
  const firstWithWords = new Map<string, number>()
  const shingles: Uint32Array[] = []
  const buckets = Array.from({ length: BANDS }, () => new Map<number, number[]>())
  const signature = new Uint32Array(SLOTS)
  inputs.forEach((input, row) => {
    const text = inputText(input)
    const words = foldedWords(text)
    // Texts without any word (signs only) are compared unchanged.
    const key = words.length > 0 ? words.join(' ') : text.trim()
    const same = firstWithWords.get(key)
    const own = shinglesOf(words)
    shingles.push(own)
    if (same !== undefined) return sets.join(same, row)
    firstWithWords.set(key, row)
    if (own.length === 0) return
    minHash(own, signature)
    for (let band = 0; band < BANDS; band++) {
      const bucketKey = hashBand(signature, band)
      const bucket = buckets[band]?.get(bucketKey)
      if (bucket === undefined) {
        buckets[band]?.set(bucketKey, [row])
        continue
      }
      for (const other of bucket) {
        if (sets.root(other) === sets.root(row)) continue
        if (jaccard(own, shingles[other] ?? own) >= SIMILAR) sets.join(other, row)
      }
      if (bucket.length < COMPARED_PER_BUCKET) bucket.push(row)
    }
  })
  return Uint32Array.from(inputs, (_, row) => sets.root(row))
}
