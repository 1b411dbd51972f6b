/** Bytes by which memory grows. */
const STEP_BYTES = 4 * 1024 * 1024

/**
 * Memory that grows in place: its addresses are reserved for `mostBytes`, and bytes are taken when they are needed. Arrays
 * over it that state no length grow with it, so nothing is copied.
 */
export class GrowingMemory {
  readonly buffer: ArrayBuffer
  readonly #mostBytes: number

  constructor(mostBytes: number) {
    this.#mostBytes = Math.max(STEP_BYTES, mostBytes)
    this.buffer = new ArrayBuffer(0, { maxByteLength: this.#mostBytes })
  }

  /** Makes at least so many bytes usable; new ones are zero. */
  reach(bytes: number): void {
    const { byteLength } = this.buffer
    if (bytes > byteLength) this.buffer.resize(Math.min(this.#mostBytes, Math.max(bytes, byteLength + STEP_BYTES)))
  }
}
