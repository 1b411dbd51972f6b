import { isAscii, isUtf8 } from 'node:buffer'

const LINE_FEED = 0x0a
const SAMPLE_BYTES = 64 * 1024
const HEAD_BYTES = 4096
/** Longest line that is looked at as a whole; the rest of it is counted as another line. */
const LINE_BYTES = 1024 * 1024

/** A line with characters beyond ASCII. */
interface OddLine {
  readonly line: number
  readonly bytes: Buffer
}

/** Facts of the bytes of a text file, by which its encoding is known or guessed. */
export interface EncodingFacts {
  /** The first bytes. */
  readonly head: Buffer
  /** Lines beyond ASCII that are UTF-8, and the first of them. */
  readonly validLines: number
  readonly firstValid: number | null
  /** Lines that are not UTF-8, and the first of them. */
  readonly invalidLines: number
  readonly firstInvalid: OddLine | null
  /** Lines that are not UTF-8, joined, as a sample for a guess. */
  readonly sample: Buffer
  /** Line feeds of the whole file. */
  readonly lineFeeds: number
  /** Line of the first NUL byte. */
  readonly firstNul: number | null
}

/** Counts lines of a file by whether they are ASCII, UTF-8 or neither. */
export class EncodingCensus {
  #line = 1
  #pending: Buffer[] = []
  #pendingBytes = 0
  #head: Buffer = Buffer.alloc(0)
  #sample: Buffer[] = []
  #sampleBytes = 0
  #validLines = 0
  #firstValid: number | null = null
  #invalidLines = 0
  #firstInvalid: OddLine | null = null
  #firstNul: number | null = null

  /** Takes the next bytes, whose memory stays the caller's. */
  add(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (this.#head.length < HEAD_BYTES) {
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, HEAD_BYTES - this.#head.length)])
    }
    const isPlain = isAscii(bytes) && !bytes.includes(0)
    let start = 0
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      if (!isPlain || this.#pendingBytes > 0) this.#take(bytes.subarray(start, end), true)
      this.#line++
      start = end + 1
    }
    if (!isPlain || this.#pendingBytes > 0) this.#take(bytes.subarray(start), false)
  }

  /** Returns the facts; complete after the last bytes. */
  finish(): EncodingFacts {
    this.#take(Buffer.alloc(0), true)
    return {
      head: this.#head,
      validLines: this.#validLines,
      firstValid: this.#firstValid,
      invalidLines: this.#invalidLines,
      firstInvalid: this.#firstInvalid,
      sample: Buffer.concat(this.#sample),
      lineFeeds: this.#line - 1,
      firstNul: this.#firstNul,
    }
  }

  #take(piece: Buffer, isWhole: boolean): void {
    if (!isWhole && this.#pendingBytes + piece.length < LINE_BYTES) {
      if (piece.length === 0) return
      // Copied, since a stream may reuse the memory of a chunk.
      this.#pending.push(Buffer.from(piece))
      this.#pendingBytes += piece.length
      return
    }
    const line = this.#pendingBytes === 0 ? piece : Buffer.concat([...this.#pending, piece])
    const open = isWhole ? 0 : unfinishedBytes(line)
    const counted = line.length - open
    this.#pending = open === 0 ? [] : [Buffer.from(line.subarray(counted))]
    this.#pendingBytes = open
    this.#count(line.subarray(0, counted))
  }

  #count(bytes: Buffer): void {
    if (this.#firstNul === null && bytes.includes(0)) this.#firstNul = this.#line
    if (isAscii(bytes)) return
    if (isUtf8(bytes)) {
      this.#validLines++
      this.#firstValid ??= this.#line
      return
    }
    this.#invalidLines++
    this.#firstInvalid ??= { line: this.#line, bytes: Buffer.from(bytes) }
    if (this.#sampleBytes >= SAMPLE_BYTES) return
    const piece = bytes.subarray(0, SAMPLE_BYTES - this.#sampleBytes)
    this.#sample.push(Buffer.concat([piece, Buffer.from('\n')]))
    this.#sampleBytes += piece.length + 1
  }
}

/** Returns how many bytes at the end begin a character of UTF-8 that continues after them: 0 to 3. */
function unfinishedBytes(bytes: Buffer): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if (byte < 0x80) return 0
    if (byte < 0xc0) continue
    const whole = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    return whole > length ? length : 0
  }
  return 0
}
