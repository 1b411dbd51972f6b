import { buffer } from 'node:stream/consumers'
import { ZipFile } from 'yazl'
import type { WorkbookParts } from './unpack.ts'

/**
 * Returns the parts as a zip without compression. The reader of cells gets this one in place of the file: it finds
 * members by other marks than the check does, and inflates them without a bound.
 */
export async function packParts(parts: WorkbookParts): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, bytes] of parts) zip.addBuffer(bytes, name, { compress: false })
  zip.end()
  return await buffer(zip.outputStream)
}
