import { Readable } from 'node:stream'
import yazl from 'yazl'
import type { ExportMember } from './export-file.ts'

/** Members have one time and one mode, so that the same content gives the same bytes. */
const MEMBER_TIME = new Date(Date.UTC(1980, 0, 1))
const MEMBER_MODE = 0o100644

/**
 * Yields members as a zip, created while it is read: each is opened in its turn. Nothing is compressed, since weights
 * do not shrink and readers can map them.
 */
export async function* zipMembers(members: readonly ExportMember[]): AsyncIterable<Uint8Array> {
  const zip = new yazl.ZipFile()
  const output = Readable.from(zip.outputStream, { objectMode: false })
  zip.on('error', (error: unknown) => output.destroy(error instanceof Error ? error : new Error(String(error))))
  for (const member of members) {
    const options = {
      mtime: MEMBER_TIME,
      mode: MEMBER_MODE,
      forceDosTimestamp: true,
      compress: false,
      size: member.sizeBytes,
    }
    zip.addReadStreamLazy(member.name, options, (open) => {
      open(null, Readable.from(nonEmpty(member.pieces()), { objectMode: false }))
    })
  }
  zip.end()
  for await (const piece of output) yield piece
}

function* nonEmpty(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  for (const piece of pieces) if (piece.length > 0) yield piece
}
