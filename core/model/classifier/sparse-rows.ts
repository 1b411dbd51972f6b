import type { Json } from '../../json.ts'
import { eachFeature, type FeatureSettings } from './features.ts'

/** One input as unit vector: feature hashes in ascending order with their weights. */
export interface SparseVector {
  readonly hashes: Uint32Array
  readonly values: Float64Array
}

/** Collects feature occurrences; grows, and is reused from call to call. */
class OccurrenceBuffer {
  #hashes = new Uint32Array(1024)
  #count = 0

  collect(input: Json, settings: FeatureSettings): Uint32Array {
    this.#count = 0
    eachFeature(input, settings, this.#push)
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
 */
export function createVectorizer(settings: FeatureSettings): (input: Json) => SparseVector {
  const buffer = new OccurrenceBuffer()
  return (input) => {
    const occurrences = buffer.collect(input, settings)
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
  /** Where each row starts in `columns` and `values`; one more than there are rows. */
  readonly offsets: Uint32Array
  readonly columns: Uint32Array
  readonly values: Float32Array
}

/** The hashes worth a column: all of them, or the `maxColumns` that most rows have (ties: the smaller hash). */
function chooseColumns(rowsWith: ReadonlyMap<number, number>, maxColumns: number): Uint32Array {
  const entries = [...rowsWith]
  if (entries.length > maxColumns) entries.sort((a, b) => b[1] - a[1] || a[0] - b[0])
  return Uint32Array.from(entries.slice(0, maxColumns), ([hash]) => hash).sort()
}

/** Turns inputs into sparse rows with at most `maxColumns` columns. */
export function buildSparseRows(inputs: readonly Json[], settings: FeatureSettings, maxColumns: number): SparseRows {
  const vectorize = createVectorizer(settings)
  const vectors = inputs.map(vectorize)
  const rowsWith = new Map<number, number>()
  for (const { hashes } of vectors) for (const hash of hashes) rowsWith.set(hash, (rowsWith.get(hash) ?? 0) + 1)
  const dictionary = chooseColumns(rowsWith, maxColumns)
  const columnOf = new Map<number, number>()
  dictionary.forEach((hash, column) => columnOf.set(hash, column))
  const offsets = new Uint32Array(vectors.length + 1)
  const total = vectors.reduce((sum, { hashes }) => sum + hashes.length, 0)
  const columns = new Uint32Array(total)
  const values = new Float32Array(total)
  let at = 0
  vectors.forEach((vector, row) => {
    vector.hashes.forEach((hash, i) => {
      const column = columnOf.get(hash)
      if (column === undefined) return
      columns[at] = column
      values[at++] = vector.values[i] ?? 0
    })
    offsets[row + 1] = at
  })
  return { dictionary, offsets, columns: columns.subarray(0, at), values: values.subarray(0, at) }
}
