import { KEY_BYTES } from '../index/row-index.ts'

/**
 * The inputs that a dataset has ever held out, by their hashes: sorted, 16 bytes each. They only grow, so that a row once
 * held out is held out in every later version, also when it was away in between.
 */
export class HeldKeys {
  readonly #bytes: Buffer

  /** Takes the bytes that `with` returned; none for the first version. */
  constructor(bytes: Uint8Array) {
    if (bytes.length % KEY_BYTES !== 0) throw new Error('held keys have a broken length')
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Number of the inputs. */
  get size(): number {
    return this.#bytes.length / KEY_BYTES
  }

  /** True for an input that was held out. */
  has(key: Uint8Array): boolean {
    let from = 0
    let to = this.size
    while (from < to) {
      const middle = (from + to) >>> 1
      const order = this.#bytes.compare(key, 0, KEY_BYTES, middle * KEY_BYTES, (middle + 1) * KEY_BYTES)
      if (order === 0) return true
      if (order < 0) from = middle + 1
      else to = middle
    }
    return false
  }

  /** Returns the bytes of these inputs and others together. */
  with(keys: readonly Uint8Array[]): Buffer {
    const added = keys
      .filter((key) => !this.has(key))
      .map((key) => Buffer.from(key))
      .sort((a, b) => a.compare(b))
      .filter((key, at, all) => at === 0 || !key.equals(all[at - 1] ?? key))
    const merged = Buffer.alloc(this.#bytes.length + added.length * KEY_BYTES)
    let old = 0
    let at = 0
    for (const key of added) {
      let end = old
      while (end < this.#bytes.length && this.#bytes.compare(key, 0, KEY_BYTES, end, end + KEY_BYTES) < 0) {
        end += KEY_BYTES
      }
      at += this.#bytes.copy(merged, at, old, end)
      old = end
      at += key.copy(merged, at)
    }
    this.#bytes.copy(merged, at, old)
    return merged
  }
}
