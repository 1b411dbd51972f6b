import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { deflateRaw } from 'node:zlib'
import yazl from 'yazl'
import { ARCHIVE_LIMITS, MEMBER_MODE, MEMBER_TIME } from './layout.ts'

const deflate = promisify(deflateRaw)
const LEVEL = 9

/** One file of a zip. `stored` keeps it uncompressed. */
export interface ZipMember {
  readonly name: string
  readonly bytes: Uint8Array
  readonly stored?: boolean
}

/**
 * Writes a zip whose bytes depend only on its members and their order (and the zlib of this Node): fixed times and
 * modes, sizes known up front, no extra fields. A member whose compression ratio would make readers take it for a bomb
 * is stored uncompressed.
 */
export async function writeZip(members: readonly ZipMember[]): Promise<Buffer> {
  const zip = new yazl.ZipFile()
  const failed = new Promise<never>((_resolve, reject) => zip.once('error', reject))
  const written = buffer(zip.outputStream)
  for (const { name, bytes, stored } of members) {
    const compressionLevel = stored === true || (await shrinksTooFar(bytes)) ? 0 : LEVEL
    const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    zip.addBuffer(data, name, { mtime: MEMBER_TIME, mode: MEMBER_MODE, forceDosTimestamp: true, compressionLevel })
  }
  zip.end()
  return await Promise.race([written, failed])
}

async function shrinksTooFar(bytes: Uint8Array): Promise<boolean> {
  if (bytes.byteLength <= ARCHIVE_LIMITS.ratioFreeBytes) return false
  const shrunk = await deflate(bytes, { level: LEVEL })
  return bytes.byteLength > shrunk.byteLength * ARCHIVE_LIMITS.ratio
}
