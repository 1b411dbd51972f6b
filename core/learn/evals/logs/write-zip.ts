import { Readable } from 'node:stream'
import yazl from 'yazl'
import type { LogFile } from './log-facts.ts'

const MEMBER_MODE = 0o100644

/** Returns files as a zip, which is made while it is read, one file after another. */
export function writeZip(files: readonly LogFile[], at: Date): Readable {
  const zip = new yazl.ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false })
  zip.on('error', (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))))
  for (const { name, pieces } of files) {
    zip.addReadStreamLazy(name, { mtime: at, mode: MEMBER_MODE, compress: true }, (open) => {
      open(null, Readable.from(pieces(), { objectMode: false }))
    })
  }
  zip.end()
  return output
}
