import type { ChunkPlace } from '../ranking/fuse.ts'

/** Vectors of chunks in shared memory: in full, and in 8 bits for the first look at all of them. */
export interface MatrixView {
  readonly dimensions: number
  readonly count: number
  readonly full: Float32Array<SharedArrayBuffer>
  /** Each vector times 127 over its largest number: cosines do not depend on the factor. */
  readonly small: Int8Array<SharedArrayBuffer>
}

const LEAST_ROWS = 256
const LARGEST_BYTE = 127

/** Bytes of one vector in both forms. */
export function vectorBytes(dimensions: number): number {
  return dimensions * (Float32Array.BYTES_PER_ELEMENT + Int8Array.BYTES_PER_ELEMENT)
}

/** Returns a vector in 8 bits: times 127 over its largest number, so that its cosines stay nearly the same. */
export function inBytes(vector: Float32Array): Int8Array {
  const small = new Int8Array(vector.length)
  let largest = 0
  for (let at = 0; at < vector.length; at++) largest = Math.max(largest, Math.abs(vector[at] ?? 0))
  const factor = largest === 0 ? 0 : LARGEST_BYTE / largest
  for (let at = 0; at < vector.length; at++) small[at] = Math.round((vector[at] ?? 0) * factor)
  return small
}

/** The vectors of a namespace by one model, which grow and shrink with its documents. */
export class VectorMatrix {
  readonly dimensions: number
  readonly places: ChunkPlace[] = []
  #full: Float32Array<SharedArrayBuffer>
  #small: Int8Array<SharedArrayBuffer>

  constructor(dimensions: number) {
    this.dimensions = dimensions
    this.#full = new Float32Array(new SharedArrayBuffer(0))
    this.#small = new Int8Array(new SharedArrayBuffer(0))
  }

  get count(): number {
    return this.places.length
  }

  get sizeBytes(): number {
    return this.#full.byteLength + this.#small.byteLength
  }

  get view(): MatrixView {
    return { dimensions: this.dimensions, count: this.count, full: this.#full, small: this.#small }
  }

  /** Returns the ids of the documents that it holds. */
  documents(): ReadonlySet<string> {
    return new Set(this.places.map(({ documentId }) => documentId))
  }

  /** Makes room for so many vectors in all, at once. */
  reserve(rows: number): void {
    if (rows * this.dimensions <= this.#full.length) return
    const size = rows * this.dimensions
    const full = new Float32Array(new SharedArrayBuffer(size * Float32Array.BYTES_PER_ELEMENT))
    const small = new Int8Array(new SharedArrayBuffer(size))
    full.set(this.#full.subarray(0, this.count * this.dimensions))
    small.set(this.#small.subarray(0, this.count * this.dimensions))
    this.#full = full
    this.#small = small
  }

  /** Adds the vector of a chunk at the end. A vector of another length is left out. */
  add(place: ChunkPlace, vector: Float32Array): void {
    if (vector.length !== this.dimensions) return
    if ((this.count + 1) * this.dimensions > this.#full.length) this.reserve(Math.max(LEAST_ROWS, this.count * 2))
    const at = this.count * this.dimensions
    this.#full.set(vector, at)
    this.#small.set(inBytes(vector), at)
    this.places.push(place)
  }

  /** Returns a matrix without the vectors of some documents; searches under way keep this one. */
  without(documents: ReadonlySet<string>): VectorMatrix {
    const kept = new VectorMatrix(this.dimensions)
    const { dimensions } = this
    const rows = this.places.flatMap(({ documentId }, row) => (documents.has(documentId) ? [] : [row]))
    kept.reserve(rows.length)
    for (const [to, row] of rows.entries()) {
      const place = this.places[row]
      if (place === undefined) continue
      kept.#full.set(this.#full.subarray(row * dimensions, (row + 1) * dimensions), to * dimensions)
      kept.#small.set(this.#small.subarray(row * dimensions, (row + 1) * dimensions), to * dimensions)
      kept.places.push(place)
    }
    return kept
  }
}
