import {
  BANDS,
  hashBand,
  minHash,
  RowSets,
  shinglesOf,
  SIMILAR,
  SLOTS,
  COMPARED_PER_BUCKET,
} from '../../../compile/rows/split/near-duplicates.ts'
import { GrowingMemory } from '../index/growing-memory.ts'

/** Shingles of a text that are kept: those with the smallest hashes, so that similarity is exact up to so many. */
const KEPT_SHINGLES = 48
/** Shingles of one piece of memory. */
const PIECE = 1 << 20
/** Rows whose place fits beside a 32-bit hash into a double: the most that can be grouped. */
export const MOST_GROUPED_ROWS = 2 ** 21

/**
 * Groups of rows out of many: conversations, equal inputs, and near-duplicates by the measure of `groupNearDuplicates`
 * (word-5-shingles, 128 min-hashes in 16 bands, Jaccard 0.85). In typed arrays, some 110 bytes a row beside its shingles;
 * the similarity of texts of more than 48 shingles is that of their smallest 48 (bottom-k sketch, Cohen 1997).
 */
export class NearGroups {
  readonly #memory: Readonly<Record<'bands' | 'starts' | 'counts', GrowingMemory>>
  readonly #bands: Uint32Array
  readonly #starts: Float64Array
  readonly #counts: Uint8Array
  readonly #pieces: Uint32Array[] = []
  #used = PIECE
  #rows = 0
  readonly #signature = new Uint32Array(SLOTS)
  readonly #joined: number[] = []

  constructor(mostRows: number) {
    if (mostRows > MOST_GROUPED_ROWS) throw new RangeError(`at most ${MOST_GROUPED_ROWS} rows can be grouped`)
    this.#memory = {
      bands: new GrowingMemory(mostRows * BANDS * 4),
      starts: new GrowingMemory(mostRows * 8),
      counts: new GrowingMemory(mostRows),
    }
    this.#bands = new Uint32Array(this.#memory.bands.buffer)
    this.#starts = new Float64Array(this.#memory.starts.buffer)
    this.#counts = new Uint8Array(this.#memory.counts.buffer)
  }

  /** Number of rows. */
  get size(): number {
    return this.#rows
  }

  /** Adds the next row by the folded words of its input. `sameAs` is an earlier row that it belongs to, or -1. */
  add(words: readonly string[], sameAs: number): void {
    const row = this.#rows++
    this.#memory.bands.reach((row + 1) * BANDS * 4)
    this.#memory.starts.reach((row + 1) * 8)
    this.#memory.counts.reach(row + 1)
    if (sameAs >= 0) this.#joined.push(sameAs, row)
    const shingles = sameAs >= 0 ? EMPTY : shinglesOf(words)
    const kept = shingles.length > KEPT_SHINGLES ? shingles.subarray(0, KEPT_SHINGLES) : shingles
    this.#counts[row] = kept.length
    if (kept.length === 0) return
    this.#keep(row, kept)
    minHash(shingles, this.#signature)
    for (let band = 0; band < BANDS; band++) {
      // The low bits of a band's hash; two that share them by chance cost one comparison.
      this.#bands[row * BANDS + band] = hashBand(this.#signature, band) >>> 0
    }
  }

  /** Puts two rows into one group. */
  join(one: number, other: number): void {
    this.#joined.push(one, other)
  }

  /** Returns the group of each row, named by its first row. `onBand` is called after each of the 16 passes. */
  groups(onBand: () => void = () => {}): Uint32Array {
    const sets = new RowSets(this.#rows)
    for (let at = 0; at < this.#joined.length; at += 2) sets.join(this.#joined[at] ?? 0, this.#joined[at + 1] ?? 0)
    const keyed = new Float64Array(this.#rows)
    for (let band = 0; band < BANDS; band++) {
      this.#joinBand(band, sets, keyed)
      onBand()
    }
    return Uint32Array.from({ length: this.#rows }, (_, row) => sets.root(row))
  }

  /** Gives the memory back; no row may be added then. */
  release(): void {
    for (const memory of Object.values(this.#memory)) memory.buffer.resize(0)
    this.#pieces.length = 0
  }

  /** Compares the rows with one hash of a band: each with the first few before it. */
  #joinBand(band: number, sets: RowSets, keyed: Float64Array): void {
    let count = 0
    for (let row = 0; row < this.#rows; row++) {
      if ((this.#counts[row] ?? 0) === 0) continue
      keyed[count++] = (this.#bands[row * BANDS + band] ?? 0) * MOST_GROUPED_ROWS + row
    }
    const order = keyed.subarray(0, count).sort()
    let first = 0
    for (let at = 0; at < count; at++) {
      const key = order[at] ?? 0
      const hash = Math.floor(key / MOST_GROUPED_ROWS)
      if (hash !== Math.floor((order[first] ?? 0) / MOST_GROUPED_ROWS)) first = at
      const row = key - hash * MOST_GROUPED_ROWS
      const end = Math.min(at, first + COMPARED_PER_BUCKET)
      for (let before = first; before < end; before++) {
        const other = (order[before] ?? 0) - hash * MOST_GROUPED_ROWS
        if (sets.root(other) === sets.root(row)) continue
        if (this.#similarity(row, other) >= SIMILAR) sets.join(other, row)
      }
    }
  }

  #similarity(one: number, other: number): number {
    const a = this.#shingles(one)
    const b = this.#shingles(other)
    let shared = 0
    let seen = 0
    for (let i = 0, j = 0; (i < a.length || j < b.length) && seen < KEPT_SHINGLES; seen++) {
      const left = a[i] ?? Infinity
      const right = b[j] ?? Infinity
      if (left === right) shared++
      if (left <= right) i++
      if (right <= left) j++
    }
    return shared / seen
  }

  #keep(row: number, shingles: Uint32Array): void {
    let piece = this.#pieces.at(-1)
    if (piece === undefined || this.#used + shingles.length > PIECE) {
      piece = new Uint32Array(PIECE)
      this.#pieces.push(piece)
      this.#used = 0
    }
    piece.set(shingles, this.#used)
    this.#starts[row] = (this.#pieces.length - 1) * PIECE + this.#used
    this.#used += shingles.length
  }

  #shingles(row: number): Uint32Array {
    const start = this.#starts[row] ?? 0
    const piece = this.#pieces[Math.floor(start / PIECE)] ?? EMPTY
    return piece.subarray(start % PIECE, (start % PIECE) + (this.#counts[row] ?? 0))
  }
}

const EMPTY = new Uint32Array(0)
