/** The smallest power of two that is at least twice the number of entries, so that probing stays short. */
function slotsFor(entries: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(2, entries * 2)))
}

/** Finds the place of a feature hash in a list of distinct hashes, by open addressing; -1 when it is not there. */
export function createIndex(hashes: Uint32Array): (hash: number) => number {
  const size = slotsFor(hashes.length)
  const mask = size - 1
  const slots = new Int32Array(size).fill(-1)
  hashes.forEach((hash, place) => {
    let slot = hash & mask
    while ((slots[slot] ?? -1) >= 0) slot = (slot + 1) & mask
    slots[slot] = place
  })
  return (hash) => {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const place = slots[slot] ?? -1
      if (place < 0 || hashes[place] === hash) return place
    }
  }
}

const FIRST_ENTRIES = 4096

/**
 * Counts in how many rows each feature hash occurs, in typed arrays (open addressing). It keeps at most `maxEntries`
 * hashes: when there are more, those counted least go, singletons first (lossy counting: Manku, Motwani, VLDB 2002).
 */
export class FeatureCounts {
  readonly #maxEntries: number
  #keys: Uint32Array
  /** 0 marks a free slot. */
  #counts: Uint32Array
  #size = 0

  constructor(maxEntries: number) {
    this.#maxEntries = maxEntries
    const slots = slotsFor(Math.min(FIRST_ENTRIES, maxEntries))
    this.#keys = new Uint32Array(slots)
    this.#counts = new Uint32Array(slots)
  }

  /** Number of hashes kept now. */
  get size(): number {
    return this.#size
  }

  /** Counts one row that has the feature. */
  add(hash: number): void {
    this.#put(hash, 1)
    if (this.#size > this.#maxEntries) this.#prune()
    else if (this.#size * 2 > this.#keys.length) this.#rebuild(this.#keys.length * 2, 0)
  }

  /** Lets go of the hashes that one row alone has. */
  dropSingletons(): void {
    this.#rebuild(this.#keys.length, 1)
  }

  /** The `limit` hashes that most rows have, ascending; of those with equal counts the smaller hashes. */
  mostFrequent(limit: number): Uint32Array {
    const threshold = this.#countThatFits(limit)
    const chosen = new Uint32Array(this.#size)
    const tied = new Uint32Array(this.#size)
    let taken = 0
    let ties = 0
    for (let slot = 0; slot < this.#keys.length; slot++) {
      const count = this.#counts[slot] ?? 0
      if (count === 0 || count < threshold) continue
      if (count > threshold) chosen[taken++] = this.#keys[slot] ?? 0
      else tied[ties++] = this.#keys[slot] ?? 0
    }
    const rest = tied
      .subarray(0, ties)
      .sort()
      .subarray(0, Math.max(0, limit - taken))
    chosen.set(rest, taken)
    return chosen.slice(0, taken + rest.length).sort()
  }

  /** The least count whose hashes cannot all be taken; 0 when all hashes fit. */
  #countThatFits(limit: number): number {
    if (this.#size <= limit) return 0
    const hashesWith = new Map<number, number>()
    for (const count of this.#counts) if (count > 0) hashesWith.set(count, (hashesWith.get(count) ?? 0) + 1)
    let left = limit
    for (const [count, hashes] of [...hashesWith].sort(([a], [b]) => b - a)) {
      if (hashes > left) return count
      left -= hashes
    }
    return 0
  }

  #put(hash: number, count: number): void {
    const mask = this.#keys.length - 1
    let slot = hash & mask
    for (; (this.#counts[slot] ?? 0) !== 0; slot = (slot + 1) & mask) {
      if (this.#keys[slot] === hash) {
        this.#counts[slot] = (this.#counts[slot] ?? 0) + count
        return
      }
    }
    this.#keys[slot] = hash
    this.#counts[slot] = count
    this.#size++
  }

  #prune(): void {
    for (let least = 1; this.#size * 2 > this.#maxEntries; least++) this.#rebuild(this.#keys.length, least)
  }

  /** Moves the hashes that occur in more than `above` rows into new slots. */
  #rebuild(slots: number, above: number): void {
    const keys = this.#keys
    const counts = this.#counts
    this.#keys = new Uint32Array(slots)
    this.#counts = new Uint32Array(slots)
    this.#size = 0
    for (let slot = 0; slot < keys.length; slot++) {
      const count = counts[slot] ?? 0
      if (count > above) this.#put(keys[slot] ?? 0, count)
    }
  }
}
