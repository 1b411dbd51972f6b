import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { KERNEL_ERRORS, type DomainError } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { tooLarge } from './read-body.ts'

/** Rows of an upload that wait on the local disk until the request is settled. */
export interface SpooledRows {
  readonly sha256: Sha256
  readonly sizeBytes: number
  read(): AsyncGenerator<Uint8Array>
  /** Gives their space back. Safe to call again. */
  release(): Promise<void>
}

/** Bounds of one upload, in bytes. */
export interface SpoolBounds {
  readonly tenantId: string
  readonly uploadBytes: number
  /** Bytes that all uploads of the tenant may hold in this process, and the error when they would hold more. */
  readonly tenantBytes: number
  readonly refuse: (neededBytes: number) => DomainError
}

/** Stores uploads until they are settled. */
export interface UploadSpool {
  /**
   * Writes chunks into a file without a name; release it in the end. When that fails nothing is left. Throws
   * `payload_too_large`, what `refuse` says, `busy` when this process holds enough, and `storage_full`.
   */
  write(chunks: AsyncIterable<Uint8Array>, bounds: SpoolBounds): Promise<SpooledRows>
  /** Bytes that wait in this process now. */
  heldBytes(): number
}

/** Bytes that are read back at once. */
const READ_BYTES = 256 * 1024
/** A file with a name this old was left by a process that was killed between making it and taking its name away. */
const LEFT_MS = 60_000

/**
 * Opens the spool in a folder and removes what killed processes left in it. Each file loses its name as soon as it is
 * open, so the system frees its space when the upload or the process ends, a kill included. `take` is asked before
 * bytes are written, and throws when the disk has no room for them.
 */
export async function openSpool(options: {
  readonly folder: string
  readonly maxBytes: number
  readonly take: (bytes: number) => void
}): Promise<UploadSpool> {
  const { folder, maxBytes, take } = options
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeLeftFiles(folder)
  const heldByTenant = new Map<string, number>()
  let heldBytes = 0

  /** Counts bytes of a tenant before they are written. Throws when they do not fit. */
  function claim(bytes: number, { tenantId, tenantBytes, refuse }: SpoolBounds): void {
    const ofTenant = heldByTenant.get(tenantId) ?? 0
    if (ofTenant + bytes > tenantBytes) throw refuse(ofTenant + bytes)
    if (heldBytes + bytes > maxBytes) {
      throw KERNEL_ERRORS.busy('too many uploads are under way; try again in a moment', { retryAfterS: 5 })
    }
    take(bytes)
    heldBytes += bytes
    heldByTenant.set(tenantId, ofTenant + bytes)
  }

  function giveBack(bytes: number, tenantId: string): void {
    heldBytes -= bytes
    const left = (heldByTenant.get(tenantId) ?? 0) - bytes
    if (left > 0) heldByTenant.set(tenantId, left)
    else heldByTenant.delete(tenantId)
  }

  return {
    heldBytes: () => heldBytes,
    async write(chunks, bounds) {
      const file = await openNameless(folder)
      const hash = createHash('sha256')
      let sizeBytes = 0
      let released: Promise<void> | undefined
      const release = async (): Promise<void> => {
        giveBack(sizeBytes, bounds.tenantId)
        await file.close()
      }
      const releaseOnce = async () => await (released ??= release())
      try {
        for await (const chunk of chunks) {
          if (sizeBytes + chunk.length > bounds.uploadBytes) throw tooLarge('file', bounds.uploadBytes)
          claim(chunk.length, bounds)
          sizeBytes += chunk.length
          hash.update(chunk)
          await writeAll(file, chunk)
        }
        const sha256: Sha256 = `sha256:${hash.digest('hex')}`
        return { sha256, sizeBytes, read: () => readBack(file, sizeBytes), release: releaseOnce }
      } catch (error) {
        await releaseOnce()
        throw error
      }
    },
  }
}

async function openNameless(folder: string): Promise<FileHandle> {
  const path = join(folder, randomUUID())
  const file = await open(path, 'wx+', 0o600).catch(explainWrite)
  await unlink(path)
  return file
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.length;) {
    const { bytesWritten } = await file.write(chunk, written).catch(explainWrite)
    written += bytesWritten
  }
}

async function* readBack(file: FileHandle, sizeBytes: number): AsyncGenerator<Uint8Array> {
  for (let position = 0; position < sizeBytes;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, position)
    if (bytesRead === 0) throw new Error('a spooled upload is shorter than it was written')
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

function explainWrite(error: unknown): never {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error
  throw KERNEL_ERRORS.storage_full('the disk for uploads is full; try again later', {
    retryAfterS: 60,
    cause: error,
  })
}

async function removeLeftFiles(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name)
    const found = await stat(path).catch(() => undefined)
    if (found?.isFile() === true && Date.now() - found.mtimeMs > LEFT_MS) await unlink(path).catch(() => undefined)
  }
}
