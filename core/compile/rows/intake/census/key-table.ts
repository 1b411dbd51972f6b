import { hash, randomBytes } from 'node:crypto'

const INITIAL_SLOTS = 1024
const FULLEST = 0.7

/** The first 64 bits of a SHA-256, as two unsigned words. */
export interface ShortHash {
  readonly high: number
  readonly low: number
}

/** The first 64 bits of the SHA-256 of a text. Two of a million texts share them with probability 3e-8. */
export function shortHash(text: string): ShortHash {
  const digest = hash('sha256', text, 'buffer')
  return { high: digest.readUInt32BE(0), low: digest.readUInt32BE(4) }
}

/** Result of putting a key into a table. */
export interface PutResult {
  /** The tag stored with the first put of this key; null when this put was the first. */
  readonly earlierTag: number | null
  /** True when this is the first put of the key whose tag differs from the first. */
  readonly firstConflict: boolean
}

/**
 * A set of 64-bit keys with a 31-bit tag each, in typed arrays: 12 bytes a slot, so a million keys take some 24 MB
 * where a `Set` of texts would take ten times that.
 */
export class KeyTable {
  #keys = new Uint32Array(INITIAL_SLOTS * 2)
  // 0 marks a free slot; bit 0 marks a key that was put with different tags.
  #tags = new Uint32Array(INITIAL_SLOTS)
  #size = 0
  // Callers choose the keys: without a secret they could choose a million that collide in one slot.
  readonly #secret = randomBytes(4).readUInt32LE()

  get size(): number {
    return this.#size
  }

  /** Stores the tag of a key unless the key is present; returns the previous state. */
  put(key: ShortHash, tag: number): PutResult {
    if (this.#size >= this.#tags.length * FULLEST) this.#grow()
    const word = ((tag << 1) | 2) >>> 0
    const slot = this.#find(key)
    const stored = this.#tags[slot] ?? 0
    if (stored === 0) {
      this.#keys[slot * 2] = key.high
      this.#keys[slot * 2 + 1] = key.low
      this.#tags[slot] = word
      this.#size++
      return { earlierTag: null, firstConflict: false }
    }
    const same = (stored & ~1) >>> 0 === word
    const firstConflict = !same && (stored & 1) === 0
    if (firstConflict) this.#tags[slot] = (stored | 1) >>> 0
    return { earlierTag: stored >>> 1, firstConflict }
  }

  /** True for a key that was put. */
  has(key: ShortHash): boolean {
    return this.#tags[this.#find(key)] !== 0
  }

  #find({ high, low }: ShortHash): number {
    const mask = this.#tags.length - 1
    let slot = Math.imul(Math.imul(low ^ this.#secret, 0x9e3779b1) ^ high, 0x85ebca6b)
    slot = (slot ^ (slot >>> 15)) & mask
    while (this.#tags[slot] !== 0 && (this.#keys[slot * 2] !== high || this.#keys[slot * 2 + 1] !== low)) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const keys = this.#keys
    const tags = this.#tags
    this.#keys = new Uint32Array(keys.length * 2)
    this.#tags = new Uint32Array(tags.length * 2)
    for (let i = 0; i < tags.length; i++) {
      const tag = tags[i] ?? 0
      if (tag === 0) continue
      const slot = this.#find({ high: keys[i * 2] ?? 0, low: keys[i * 2 + 1] ?? 0 })
      this.#keys[slot * 2] = keys[i * 2] ?? 0
      this.#keys[slot * 2 + 1] = keys[i * 2 + 1] ?? 0
      this.#tags[slot] = tag
    }
  }
}

/** Returns the tag of a text in a `KeyTable`: 30 bits of its hash. */
export function tagOf(text: string): number {
  return shortHash(text).low >>> 2
}

/** True when both texts have the tag that a table gave back. */
export function isSameTag(earlierTag: number, text: string): boolean {
  // `put` forces the lowest bit of the tag, so that no used slot is 0.
  return earlierTag === (tagOf(text) | 1)
}
