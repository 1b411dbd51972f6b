/** Position of each sequence: its bin, and the position of its first token inside the bin. */
export interface Packing {
  readonly bins: number
  readonly binOf: Uint32Array
  readonly startOf: Uint32Array
}

/**
 * Packs sequences into bins of one capacity by first-fit-decreasing, which needs at most 11/9 of the best number of
 * bins, plus 6/9 (Dósa, "The tight bound of first fit decreasing bin-packing algorithm", 2007). Sequences of one length
 * keep their order. Throws a `RangeError` for a sequence longer than a bin.
 */
export function packFirstFitDecreasing(lengths: ArrayLike<number>, capacity: number): Packing {
  const order = Array.from(lengths, (_, index) => index).toSorted((a, b) => (lengths[b] ?? 0) - (lengths[a] ?? 0))
  const binOf = new Uint32Array(lengths.length)
  const startOf = new Uint32Array(lengths.length)
  const used: number[] = []
  for (const index of order) {
    const length = lengths[index] ?? 0
    if (length > capacity) throw new RangeError(`a sequence of ${length} tokens does not fit a bin of ${capacity}`)
    const found = used.findIndex((tokens) => tokens + length <= capacity)
    const bin = found === -1 ? used.length : found
    const start = used[bin] ?? 0
    binOf[index] = bin
    startOf[index] = start
    used[bin] = start + length
  }
  return { bins: used.length, binOf, startOf }
}
