import type { ModelConfig } from '../../config/model-config.ts'

const STEP = 64

/** Returns the bytes of one token of one row in the cache. */
export function cacheBytesPerToken(config: ModelConfig): number {
  return config.layers * 2 * config.kvHeads * config.headDim * Float32Array.BYTES_PER_ELEMENT
}

/**
 * Keys and values of the rows of a batch: for each layer [rows, kvHeads, capacity, width], so that the first n rows are
 * one piece of memory. Rows are kept without gaps: the last one moves into the place of one that leaves.
 */
export class KvCache {
  readonly #kvHeads: number
  readonly #width: number
  readonly #lengths: number[] = []
  #capacity = 0
  #rows = 0
  /** Keys of layer 0, values of layer 0, keys of layer 1, … */
  #parts: readonly Float32Array[]

  constructor(config: ModelConfig) {
    this.#kvHeads = config.kvHeads
    this.#width = config.headDim
    this.#parts = Array.from({ length: config.layers * 2 }, () => new Float32Array())
  }

  /** Tokens that each row has room for. */
  get capacity(): number {
    return this.#capacity
  }

  /** Cached tokens of each row. */
  get lengths(): readonly number[] {
    return this.#lengths
  }

  /** Adds an empty row at the end. */
  addRow(): void {
    this.#lengths.push(0)
    this.#reserve(this.#lengths.length, this.#capacity)
  }

  /** Adds a row at the end with the tokens of another one. */
  copyRow(row: number): void {
    this.addRow()
    const size = this.#rowSize()
    const last = this.#lengths.length - 1
    for (const part of this.#parts) part.copyWithin(last * size, row * size, (row + 1) * size)
    this.#lengths[last] = this.#lengths[row] ?? 0
  }

  /** Removes a row; the last row takes its place. */
  removeRow(row: number): void {
    const last = this.#lengths.length - 1
    const size = this.#rowSize()
    if (row !== last) for (const part of this.#parts) part.copyWithin(row * size, last * size, (last + 1) * size)
    const length = this.#lengths.pop() ?? 0
    if (row !== last) this.#lengths[row] = length
    if (last === 0) this.#release()
  }

  /** Memory of `count` rows from `first` on, of one part; the shape is [count, kvHeads, capacity, width]. */
  rows(part: number, first: number, count: number): Float32Array {
    const size = this.#rowSize()
    return this.#part(part).subarray(first * size, (first + count) * size)
  }

  /** Makes room for rows of up to `length` tokens. */
  ensureCapacity(length: number): void {
    if (length > this.#capacity) this.#reserve(this.#rows, Math.max(roundUp(length), this.#capacity * 2))
  }

  /**
   * Appends the first `counts[i]` of `tokens` new tokens to row `first + i`; `added` holds for each part
   * [counts.length, kvHeads, tokens, width].
   */
  append(first: number, counts: readonly number[], tokens: number, added: readonly Float32Array[]): void {
    const width = this.#width
    for (const [index, source] of added.entries()) {
      const target = this.#part(index)
      for (const [offset, count] of counts.entries()) {
        const length = this.#lengths[first + offset] ?? 0
        for (let head = 0; head < this.#kvHeads; head++) {
          const from = (offset * this.#kvHeads + head) * tokens * width
          const to = (((first + offset) * this.#kvHeads + head) * this.#capacity + length) * width
          target.set(source.subarray(from, from + count * width), to)
        }
      }
    }
    for (const [offset, count] of counts.entries()) {
      this.#lengths[first + offset] = (this.#lengths[first + offset] ?? 0) + count
    }
  }

  #part(index: number): Float32Array {
    const part = this.#parts[index]
    if (part === undefined) throw new RangeError(`the cache has no part ${index}`)
    return part
  }

  #rowSize(): number {
    return this.#kvHeads * this.#capacity * this.#width
  }

  #release(): void {
    this.#capacity = 0
    this.#rows = 0
    this.#parts = this.#parts.map(() => new Float32Array())
  }

  /** Moves everything into larger memory where rows or capacity have grown. */
  #reserve(rows: number, capacity: number): void {
    const places = rows <= this.#rows ? this.#rows : Math.max(rows, Math.min(this.#rows * 2, this.#rows + 8))
    if (places === this.#rows && capacity === this.#capacity) return
    const heads = this.#lengths.length * this.#kvHeads
    const [before, after] = [this.#capacity * this.#width, capacity * this.#width]
    this.#parts = this.#parts.map((part) => {
      const grown = new Float32Array(places * this.#kvHeads * after)
      for (let head = 0; head < heads && before > 0; head++) {
        grown.set(part.subarray(head * before, (head + 1) * before), head * after)
      }
      return grown
    })
    this.#capacity = capacity
    this.#rows = places
  }
}

function roundUp(length: number): number {
  return Math.ceil(length / STEP) * STEP
}
