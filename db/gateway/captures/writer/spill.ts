import { ftruncateSync, writeSync } from 'node:fs'
import { open, readdir, readFile, rm, rmdir, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { NewCapture } from '../../../../core/gateway/captures/capture.ts'
import { bytesIn, decodeSpill, type DecodedSpill } from '../../../../core/gateway/captures/spill-frames.ts'
import { makeFolder, takeLeftFolders, type HeldFolder } from './spill-folder.ts'

/** Bytes after which a file is closed for new records even when none of its records were committed. */
const FILE_BYTES = 8 * 1024 * 1024
/** Bytes of records whose captures are kept in memory too, so that they need not be read again. */
const REMEMBERED_BYTES = 4 * 1024 * 1024
/**
 * Records up to this size are written at once: handing one to a thread and back takes several times as long as copying it
 * into the memory of the system, and on a busy machine each of the two ways waits for a core.
 */
const SMALL_BYTES = 64 * 1024
/** Files without records that wait for their next ones: making and removing one costs more than its records. */
const SPARE_FILES = 2
const NAME = /^\d{8}\.spill$/

/** A closed file whose records wait to be committed. */
export interface SpillFile {
  read(): Promise<DecodedSpill>
  /** Removes the file: its records are committed. */
  done(): Promise<void>
}

interface Waiting {
  readonly record: readonly Uint8Array[]
  readonly capture: NewCapture
  readonly settle: (isKept: boolean) => void
}

interface OwnFile {
  /** Null once nothing more is written to it. */
  handle: FileHandle | null
  readonly path: string
  bytes: number
  /** The content of its records; null where it is not remembered. */
  captures: NewCapture[] | null
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
  #file: OwnFile | undefined
  #spare: OwnFile[] = []
  /** Those with a handle. */
  readonly #open = new Set<OwnFile>()
  #number = 0
  /** Bytes of records that were not committed yet, in files of this process. */
  #heldBytes = 0
  #rememberedBytes = 0
  #waiting: Waiting[] = []
  /** True while records are being written. */
  #isWriting = false
  /** Work on the files, one after another. */
  #turn: Promise<unknown> = Promise.resolve()
  #closed: OwnFile[] = []
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

  /** Writes the record of a capture, given in parts. Returns false when it was not kept: the log is full, or the disk refuses. */
  async append(capture: NewCapture, record: readonly Uint8Array[]): Promise<boolean> {
    const bytes = bytesIn(record)
    if (this.#heldBytes + bytes > this.#maxBytes) return false
    this.#heldBytes += bytes
    if (bytes <= SMALL_BYTES && !this.#isWriting && this.#isWritten(capture, record)) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiting.push({ capture, record, settle: resolve })
    if (!this.#isWriting) {
      this.#isWriting = true
      void this.#inTurn(async () => await this.#writeWaiting())
    }
    return await promise
  }

  /** Returns the files of this process to commit, oldest first; the one that was being written is closed. */
  async takeFiles(): Promise<readonly SpillFile[]> {
    await this.#inTurn(async () => this.#putAside())
    const closed = this.#closed
    this.#closed = []
    return closed.map((file) => ({
      read: async () =>
        file.captures === null ? decodeSpill(await readFile(file.path)) : { captures: file.captures, tornBytes: 0 },
      done: async () => await this.#inTurn(async () => await this.#empty(file)),
    }))
  }

  /** Takes over the folders of dead processes, and returns their files. */
  async takeLeft(): Promise<readonly SpillFile[]> {
    const files: SpillFile[] = []
    for (const folder of await takeLeftFolders(this.#root)) {
      this.#left.push(folder)
      const paths = await pathsByAge(folder.path)
      let open = paths.length
      if (open === 0) await this.#dropLeft(folder)
      for (const path of paths) {
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
    await this.#inTurn(async () => {
      this.#putAside()
      for (const file of this.#open) await this.#close(file)
    })
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
      const parts = batch.flatMap(({ record }) => record)
      const file = await this.#write(parts).catch((error: unknown) => {
        this.#warn(error)
        return null
      })
      const isKept = file !== null
      if (file === null) this.#heldBytes -= bytesIn(parts)
      else this.#remember(file, batch)
      for (const { settle } of batch) settle(isKept)
    }
    this.#isWriting = false
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work)
    this.#turn = result.catch(() => undefined)
    return await result
  }

  #remember(file: OwnFile, batch: readonly Pick<Waiting, 'capture' | 'record'>[]): void {
    const bytes = batch.reduce((sum, { record }) => sum + bytesIn(record), 0)
    file.bytes += bytes
    if (file.captures === null) return
    if (this.#rememberedBytes + bytes > REMEMBERED_BYTES) {
      this.#rememberedBytes -= file.bytes - bytes
      file.captures = null
      return
    }
    this.#rememberedBytes += bytes
    for (const { capture } of batch) file.captures.push(capture)
  }

  /** Writes a record to the open file, or to a spare one, without waiting. Returns false, with nothing written, when that does not go well. */
  #isWritten(capture: NewCapture, record: readonly Uint8Array[]): boolean {
    const file = (this.#file ??= this.#spare.pop())
    const fd = file?.handle?.fd
    if (file === undefined || fd === undefined || file.bytes >= FILE_BYTES) return false
    const [only] = record
    const bytes = record.length === 1 && only ? only : Buffer.concat(record)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(fd, bytes, written)
    } catch {
      // Tried again in turn, which says what is wrong.
      tryTo(() => ftruncateSync(fd, file.bytes))
      return false
    }
    this.#remember(file, [{ capture, record }])
    return true
  }

  async #write(parts: readonly Uint8Array[]): Promise<OwnFile> {
    if (this.#file !== undefined && this.#file.bytes >= FILE_BYTES) await this.#close(this.#putAside())
    const file = (this.#file ??= this.#spare.pop() ?? (await this.#openFile()))
    const { handle } = file
    if (handle === null) throw new Error('a closed file of the spill log')
    try {
      for (const group of groupsOfParts(parts)) await writeAll(handle, group)
    } catch (error) {
      // A half-written record ends the readable part of the file: whole ones go into the next.
      await handle.truncate(file.bytes).catch(() => undefined)
      await this.#close(this.#putAside()).catch(() => undefined)
      throw error
    }
    return file
  }

  async #openFile(): Promise<OwnFile> {
    this.#own ??= await makeFolder(this.#root)
    const path = join(this.#own.path, `${String(++this.#number).padStart(8, '0')}.spill`)
    // Appends, also once it was emptied.
    const file = { handle: await open(path, 'ax', 0o600), path, bytes: 0, captures: [] }
    this.#open.add(file)
    return file
  }

  /** Ends the writing to the present file: it waits to be committed. */
  #putAside(): OwnFile | undefined {
    const file = this.#file
    this.#file = undefined
    if (file !== undefined) this.#closed.push(file)
    return file
  }

  async #close(file: OwnFile | undefined): Promise<void> {
    if (file === undefined || !this.#open.delete(file)) return
    const { handle } = file
    file.handle = null
    await handle?.close()
  }

  /** Removes the records of a file, which are committed. */
  async #empty(file: OwnFile): Promise<void> {
    const { handle, path, bytes, captures } = file
    if (handle !== null && this.#spare.length < SPARE_FILES && (await isEmptied(handle))) {
      this.#spare.push(Object.assign(file, { bytes: 0, captures: [] }))
    } else {
      await this.#close(file)
      await rm(path, { force: true })
    }
    this.#heldBytes -= bytes
    if (captures !== null) this.#rememberedBytes -= bytes
  }
}

/** Bytes that are written together: so many small records cost one turn of a thread, and a large one is not copied whole. */
const GROUP_BYTES = 1024 * 1024

function* groupsOfParts(parts: readonly Uint8Array[]): Generator<Uint8Array> {
  let group: Uint8Array[] = []
  for (const part of parts) {
    group.push(part)
    if (bytesIn(group) < GROUP_BYTES) continue
    yield Buffer.concat(group)
    group = []
  }
  yield Buffer.concat(group)
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += (await handle.write(bytes, at)).bytesWritten
}

function tryTo(work: () => void): void {
  try {
    work()
  } catch {
    // What went wrong before says why.
  }
}

async function isEmptied(handle: FileHandle): Promise<boolean> {
  return await handle.truncate(0).then(
    () => true,
    () => false,
  )
}

/** The files of a folder, oldest first. */
async function pathsByAge(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).filter((name) => NAME.test(name))
  const files = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name)
      return { path, atMs: (await stat(path)).mtimeMs }
    }),
  )
  return files.toSorted((one, two) => one.atMs - two.atMs).map(({ path }) => path)
}
