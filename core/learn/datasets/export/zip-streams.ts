import { Readable } from 'node:stream'
import yazl from 'yazl'

/** Members have one time and one mode, so that the same rows give the same bytes. */
const MEMBER_TIME = new Date(Date.UTC(1980, 0, 1))
const MEMBER_MODE = 0o100644

/** A member of a zip whose bytes are made while it is read. */
export interface StreamedMember {
  readonly name: string
  readonly bytes: () => Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>
}

/** Yields members as a compressed zip, each opened in its turn, so that nothing of them waits in memory. */
export async function* zipStreams(members: readonly StreamedMember[]): AsyncGenerator<Uint8Array> {
  const zip = new yazl.ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false })
  zip.on('error', (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))))
  for (const { name, bytes } of members) {
    const options = { mtime: MEMBER_TIME, mode: MEMBER_MODE, forceDosTimestamp: true, compress: true }
    zip.addReadStreamLazy(name, options, (open) => open(null, Readable.from(bytes(), { objectMode: false })))
  }
  zip.end()
  for await (const piece of output) yield piece
}
