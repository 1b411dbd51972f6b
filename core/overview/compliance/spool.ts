import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that lie in a file without a name: they take no memory, and are gone with the process that wrote them. */
export class Spool {
  readonly #file: FileHandle
  #sizeBytes = 0

  private constructor(file: FileHandle) {
    this.#file = file
  }

  /** Opens an empty spool. The caller must close it. */
  static async open(): Promise<Spool> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-spool-'))
    try {
      return new Spool(await open(join(folder, 'bytes'), 'wx+', 0o600))
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** Adds bytes to the end. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, written, bytes.length - written, this.#sizeBytes)
      written += bytesWritten
      this.#sizeBytes += bytesWritten
    }
  }

  /** All bytes from the start, in pieces of this size but for the last. */
  async *read(pieceBytes: number): AsyncGenerator<Buffer> {
    for (let from = 0; from < this.#sizeBytes; from += pieceBytes) {
      const piece = Buffer.alloc(Math.min(pieceBytes, this.#sizeBytes - from))
      for (let filled = 0; filled < piece.length;) {
        const { bytesRead } = await this.#file.read(piece, filled, piece.length - filled, from + filled)
        if (bytesRead === 0) throw new Error('the spool ends too early')
        filled += bytesRead
      }
      yield piece
    }
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}
