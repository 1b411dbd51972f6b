import { open, readdir, readFile, rm, rmdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { decodeSpill, type DecodedSpill } from '../../../../core/gateway/captures/spill-frames.ts'
import { makeFolder, takeLeftFolders, type HeldFolder } from './spill-folder.ts'

/** Bytes after which a file is closed for new records even when none of its records were committed. */
const FILE_BYTES = 8 * 1024 * 1024
const NAME = /^\d{8}\.spill$/

/** A closed file whose records wait to be committed. */
export interface SpillFile {
  read(): Promise<DecodedSpill>
  /** Removes the file: its records are committed. */
  done(): Promise<void>
}

interface Waiting {
  readonly record: Uint8Array
  readonly settle: (isKept: boolean) => void
}

/**
 * The log of one process on its disk. A record is kept once `append` says so: it was handed to the system, so that it
 * outlives the process. A failure of the machine may lose the records that the system had not written yet.
 */
export class Spill {
  readonly #root: string
  readonly #maxBytes: number
  readonly #warn: (error: unknown) => void
  #own: HeldFolder | undefined
  #file: { readonly handle: FileHandle; readonly path: string; bytes: number } | undefined
  #number = 0
  /** Bytes of records that were not committed yet, in files of this process. */
  #heldBytes = 0
  #waiting: Waiting[] = []
  /** True while records are being written. */
  #isWriting = false
  /** Work on the files, one after another. */
  #turn: Promise<unknown> = Promise.resolve()
  #closed: { readonly path: string; readonly bytes: number }[] = []
  readonly #left: HeldFolder[] = []

  constructor(options: { readonly root: string; readonly maxBytes: number; readonly warn: (error: unknown) => void }) {
    this.#root = options.root
    this.#maxBytes = options.maxBytes
    this.#warn = options.warn
  }

  /** Bytes that wait to be committed. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Writes a record. Returns false when it was not kept: the log is full, or the disk refuses. */
  async append(record: Uint8Array): Promise<boolean> {
    if (this.#heldBytes + record.length > this.#maxBytes) return false
    this.#heldBytes += record.length
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.push({ record, settle: resolve })
    if (!this.#isWriting) {
      this.#isWriting = true
      void this.#inTurn(async () => await this.#writeWaiting())
    }
    return await promise
  }

  /** Returns the files of this process to commit, oldest first; the one that was being written is closed. */
  async takeFiles(): Promise<readonly SpillFile[]> {
    await this.#inTurn(async () => await this.#closeFile())
    const closed = this.#closed
    this.#closed = []
    return closed.map(({ path, bytes }) => ({
      read: async () => decodeSpill(await readFile(path)),
      done: async () => {
        await rm(path, { force: true })
        this.#heldBytes -= bytes
      },
    }))
  }

  /** Takes over the folders of dead processes, and returns their files. */
  async takeLeft(): Promise<readonly SpillFile[]> {
    const files: SpillFile[] = []
    for (const folder of await takeLeftFolders(this.#root)) {
      this.#left.push(folder)
      const paths = (await readdir(folder.path)).filter((name) => NAME.test(name)).toSorted()
      let open = paths.length
      if (open === 0) await this.#dropLeft(folder)
      for (const name of paths) {
        const path = join(folder.path, name)
        files.push({
          read: async () => decodeSpill(await readFile(path)),
          done: async () => {
            await rm(path, { force: true })
            if (--open === 0) await this.#dropLeft(folder)
          },
        })
      }
    }
    return files
  }

  /** Gives everything up. What was not committed waits for the next process. */
  async close(): Promise<void> {
    await this.#inTurn(async () => await this.#closeFile())
    if (this.#heldBytes === 0) await this.#own?.remove()
    else this.#own?.release()
    this.#own = undefined
    for (const folder of this.#left.splice(0)) folder.release()
    // The last process leaves no empty folder.
    await rmdir(this.#root).catch(() => undefined)
  }

  async #dropLeft(folder: HeldFolder): Promise<void> {
    this.#left.splice(this.#left.indexOf(folder), 1)
    await folder.remove()
  }

  /** Writes what waits, together, until nothing does. */
  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0)
      const bytes = Buffer.concat(batch.map(({ record }) => record))
      const isKept = await this.#write(bytes).catch((error: unknown) => {
        this.#warn(error)
        return false
      })
      if (!isKept) this.#heldBytes -= bytes.length
      for (const { settle } of batch) settle(isKept)
    }
    this.#isWriting = false
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return await result
  }

  async #write(bytes: Uint8Array): Promise<boolean> {
    if (this.#file !== undefined && this.#file.bytes >= FILE_BYTES) await this.#closeFile()
    const file = (this.#file ??= await this.#openFile())
    let written = 0
    try {
      while (written < bytes.length) written += (await file.handle.write(bytes, written)).bytesWritten
    } catch (error) {
      // A half-written record ends the readable part of the file: whole ones go into the next.
      await file.handle.truncate(file.bytes).catch(() => undefined)
      await this.#closeFile().catch(() => undefined)
      throw error
    }
    file.bytes += bytes.length
    return true
  }

  async #openFile() {
    this.#own ??= await makeFolder(this.#root)
    const path = join(this.#own.path, `${String(++this.#number).padStart(8, '0')}.spill`)
    const handle = await open(path, 'wx', 0o600)
    return { handle, path, bytes: 0 }
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    if (file === undefined) return
    await file.handle.close()
    this.#closed.push({ path: file.path, bytes: file.bytes })
  }
}
