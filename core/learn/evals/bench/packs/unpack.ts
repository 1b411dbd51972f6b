import { gunzipSync } from 'node:zlib'
import yauzl from 'yauzl'
import { DomainError } from '../../../../kernel/errors.ts'
import { LEARN_ERRORS } from '../../../errors.ts'

/** A file of a pack. */
export interface PackFile {
  /** Its path within the archive; of a single file its name. */
  readonly name: string
  readonly bytes: Buffer
}

const BLOCK = 512
const MOST_FILES = 2000
const ENCRYPTED = 1
const FILE_TYPE = 0o170000
const LINK = 0o120000

/**
 * Returns the files of a pack: of a tar or a zip, compressed by gzip or not, or the one file itself. Throws
 * `bench_pack_link_rejected` for an archive with links, `bench_pack_too_large` for more than `maxBytes` in all, and
 * `bench_pack_invalid` for a damaged one.
 */
export async function unpackPack(given: Buffer, maxBytes: number): Promise<readonly PackFile[]> {
  const bytes = given[0] === 0x1f && given[1] === 0x8b ? inflate(given, maxBytes) : given
  if (bytes.length > maxBytes) throw tooLarge(maxBytes)
  if (bytes.subarray(0, 4).toString('latin1') === 'PK\u0003\u0004') {
    return await readZip(bytes, maxBytes)
  }
  if (bytes.subarray(257, 262).toString('latin1') === 'ustar') return readTar(bytes)
  return [{ name: '', bytes }]
}

function tooLarge(maxBytes: number): DomainError {
  return LEARN_ERRORS.bench_pack_too_large(`the pack has more than ${maxBytes} bytes`, { details: { max: maxBytes } })
}

function invalid(problem: string, cause?: unknown): DomainError {
  return LEARN_ERRORS.bench_pack_invalid(problem, { cause })
}

function linked(name: string): DomainError {
  return LEARN_ERRORS.bench_pack_link_rejected(`${name.slice(0, 200)} is a link; pack the files themselves`)
}

function inflate(bytes: Buffer, maxBytes: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes })
  } catch (cause) {
    if (cause instanceof RangeError) throw tooLarge(maxBytes)
    throw invalid('the pack is damaged gzip', cause)
  }
}

async function readZip(bytes: Buffer, maxBytes: number): Promise<readonly PackFile[]> {
  const files: PackFile[] = []
  let total = 0
  try {
    const zip = await yauzl.fromBufferPromise(bytes, { validateEntrySizes: true })
    for await (const entry of zip.eachEntry()) {
      if (((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK) throw linked(entry.fileName)
      if (entry.fileName.endsWith('/')) continue
      if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) throw invalid('the pack is an encrypted zip; send it open')
      total += entry.uncompressedSize
      if (total > maxBytes) throw tooLarge(maxBytes)
      requireFew(files.length)
      const pieces: Buffer[] = []
      for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(Buffer.from(piece))
      files.push({ name: entry.fileName, bytes: Buffer.concat(pieces) })
    }
    return files
  } catch (error) {
    if (error instanceof DomainError) throw error
    throw invalid('the pack is a damaged zip', error)
  }
}

function requireFew(count: number): void {
  if (count >= MOST_FILES) throw invalid(`the pack has more than ${MOST_FILES} files`)
}

/** Reads a tar in the form of POSIX (ustar, with pax headers, which are skipped) or of GNU. */
function readTar(bytes: Buffer): readonly PackFile[] {
  const files: PackFile[] = []
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const header = bytes.subarray(at, at + BLOCK)
    if (header.every((byte) => byte === 0)) return files
    const name = [fieldOf(header, 345, 155), fieldOf(header, 0, 100)].filter((part) => part !== '').join('/')
    const size = Number.parseInt(fieldOf(header, 124, 12).trim() || '0', 8)
    if (!Number.isInteger(size) || size < 0 || at + BLOCK + size > bytes.length)
      throw invalid('the pack is a damaged tar')
    const type = String.fromCharCode(header[156] ?? 0)
    if (type === '1' || type === '2') throw linked(name)
    if (type === '0' || type === '\0' || type === '7') {
      requireFew(files.length)
      files.push({ name, bytes: bytes.subarray(at + BLOCK, at + BLOCK + size) })
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK
  }
  return files
}

function fieldOf(header: Buffer, from: number, length: number): string {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? length : end).toString('utf8')
}
