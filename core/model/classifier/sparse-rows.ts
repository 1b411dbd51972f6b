import type { Json } from '../../kernel/json/json.ts'
import { eachFeature, textLength, type FeatureSettings } from './features.ts'
import { createIndex, FeatureCounts } from './hash-table.ts'

/** One input as unit vector: feature hashes in ascending order with their weights. */
export interface SparseVector {
  readonly hashes: Uint32Array
  readonly values: Float64Array
}

/** Collects feature occurrences; grows, and is reused from call to call. */
class OccurrenceBuffer {
  #hashes = new Uint32Array(1024)
  #count = 0

  collect(input: Json, settings: FeatureSettings, maxChars: number): Uint32Array {
    this.#count = 0
    eachFeature(input, settings, this.#push, maxChars)
    return this.#hashes.subarray(0, this.#count).sort()
  }

  readonly #push = (hash: number): void => {
    if (this.#count === this.#hashes.length) {
      const grown = new Uint32Array(this.#hashes.length * 2)
      grown.set(this.#hashes)
      this.#hashes = grown
    }
    this.#hashes[this.#count++] = hash
  }
}

/**
 * Makes a function from input to unit vector: each distinct feature weighs `1 + ln(occurrences)`, the whole is
 * divided by its Euclidean length. Features never seen in training count in the length, so that an input which
 * is mostly unknown scores low for every label.
 * @param maxChars characters of an input that are read at most
 */
export function createVectorizer(settings: FeatureSettings, maxChars = Infinity): (input: Json) => SparseVector {
  const buffer = new OccurrenceBuffer()
  return (input) => {
    const occurrences = buffer.collect(input, settings, maxChars)
    const hashes = new Uint32Array(occurrences.length)
    const values = new Float64Array(occurrences.length)
    let distinct = 0
    let squares = 0
    for (let i = 0; i < occurrences.length;) {
      const hash = occurrences[i] ?? 0
      let count = 0
      for (; i < occurrences.length && occurrences[i] === hash; i++) count++
      const weight = count === 1 ? 1 : 1 + Math.log(count)
      hashes[distinct] = hash
      values[distinct++] = weight
      squares += weight * weight
    }
    const length = Math.sqrt(squares)
    for (let i = 0; i < distinct; i++) values[i] = (values[i] ?? 0) / length
    return { hashes: hashes.subarray(0, distinct), values: values.subarray(0, distinct) }
  }
}

/** Many inputs in compressed sparse row form over a dictionary of feature hashes. */
export interface SparseRows {
  /** Distinct feature hashes, ascending; a column's number is its place here. */
  readonly dictionary: Uint32Array
  /** Start of each row in `columns` and `values`; one more entry than there are rows. */
  readonly offsets: Uint32Array
  readonly columns: Uint32Array
  readonly values: Float32Array
}

/** Bounds of building sparse rows. */
export interface SparseRowsBounds {
  readonly maxColumns: number
  /** Characters that are read of all inputs together; of longer inputs the beginning is read. */
  readonly maxChars: number
  /** Called for every row; ends the work by throwing. */
  readonly checkpoint?: () => void
}

/** Distinct features that are counted at a time. */
const MAX_COUNTED = 2 ** 20
/**
 * Number of distinct features above which those of a single row are dropped: they carry no information on other rows
 * and cost as much.
 */
const SINGLETONS_UP_TO = 100_000

/** The length to cut inputs to, so that together they have at most `total` characters: short ones keep all of theirs. */
export function shareChars(lengths: readonly number[], total: number): number {
  const sorted = Float64Array.from(lengths).sort()
  let left = total
  for (const [i, length] of sorted.entries()) {
    const share = left / (sorted.length - i)
    if (length > share) return Math.max(1, Math.floor(share))
    left -= length
  }
  return Infinity
}

/** Grows by half, so that appending stays linear. */
function grow<List extends Uint32Array | Float32Array>(list: List, bigger: List): List {
  bigger.set(list)
  return bigger
}

/**
 * Turns inputs into sparse rows over the features that most rows have. Memory and time are bounded by the character
 * budget, not by the content.
 */
export function buildSparseRows(
  inputs: readonly Json[],
  settings: FeatureSettings,
  bounds: SparseRowsBounds,
): SparseRows {
  const vectorize = createVectorizer(settings, shareChars(inputs.map(textLength), bounds.maxChars))
  const counts = new FeatureCounts(MAX_COUNTED)
  const ends = new Uint32Array(inputs.length)
  let columns = new Uint32Array(65_536)
  let values = new Float32Array(columns.length)
  let total = 0
  inputs.forEach((input, row) => {
    bounds.checkpoint?.()
    const vector = vectorize(input)
    const needed = total + vector.hashes.length
    if (needed > columns.length) {
      const size = Math.max(needed, Math.ceil(columns.length * 1.5))
      columns = grow(columns, new Uint32Array(size))
      values = grow(values, new Float32Array(size))
    }
    columns.set(vector.hashes, total)
    values.set(vector.values, total)
    for (const hash of vector.hashes) counts.add(hash)
    total = needed
    ends[row] = total
  })
  if (counts.size > SINGLETONS_UP_TO) counts.dropSingletons()
  const dictionary = counts.mostFrequent(bounds.maxColumns)
  const columnOf = createIndex(dictionary)
  const offsets = new Uint32Array(inputs.length + 1)
  let at = 0
  let from = 0
  // In place: the write position never passes the read position.
  ends.forEach((end, row) => {
    for (; from < end; from++) {
      const column = columnOf(columns[from] ?? 0)
      if (column < 0) continue
      columns[at] = column
      values[at++] = values[from] ?? 0
    }
    offsets[row + 1] = at
  })
  return { dictionary, offsets, columns: columns.subarray(0, at), values: values.subarray(0, at) }
}
