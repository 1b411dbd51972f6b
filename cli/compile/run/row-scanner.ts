import { open, type FileHandle } from 'node:fs/promises'
import type { BatchFormat } from '../../../core/ledger/receipts/batch-receipt.ts'

const LINE_FEED = 0x0a
const QUOTE = 0x22
const BLOCK_BYTES = 256 * 1024

/** Counts the complete rows of an output file while its bytes come. */
export class RowScanner {
  readonly #isCsv: boolean
  #isQuoted = false
  #bytes = 0
  #lines = 0
  #endOfLast = 0

  constructor(format: BatchFormat) {
    this.#isCsv = format === 'csv'
  }

  /** Complete rows; the header of CSV is none. */
  get rows(): number {
    return Math.max(0, this.#lines - (this.#isCsv ? 1 : 0))
  }

  /** Bytes up to the end of the last complete row. */
  get completeBytes(): number {
    return this.#endOfLast
  }

  /** Takes the next bytes, up to the end of row `most`. Returns true when that was reached. */
  push(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): boolean {
    const lastLine = most + (this.#isCsv ? 1 : 0)
    for (let at = 0; at < bytes.length && this.#lines < lastLine; at++) {
      const byte = bytes[at]
      if (byte === QUOTE && this.#isCsv) this.#isQuoted = !this.#isQuoted
      if (byte !== LINE_FEED || this.#isQuoted) continue
      this.#lines++
      this.#endOfLast = this.#bytes + at + 1
    }
    this.#bytes += bytes.length
    return this.#lines >= lastLine
  }
}

/**
 * Cuts a file after its last complete row, or after row `most`. Returns how many rows it holds then. Without a row, the
 * header of CSV goes too: it is sent again with row 1.
 */
export async function cutAfterRow(path: string, format: BatchFormat, most?: number): Promise<number> {
  const file = await open(path, 'r+')
  try {
    const scanner = new RowScanner(format)
    for await (const block of blocksOf(file)) if (scanner.push(block, most)) break
    await file.truncate(scanner.rows === 0 ? 0 : scanner.completeBytes)
    return scanner.rows
  } finally {
    await file.close()
  }
}

async function* blocksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  for (let position = 0; ;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(BLOCK_BYTES), 0, BLOCK_BYTES, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}
