import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { readBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Database } from '../../../db/kernel/database.ts'
import { rangeOf, type ByteRange } from './range.ts'

/** A stored file that callers may download. */
export interface DownloadableBlob {
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly fileName: string
  /**
   * Writes the line of the ledger, before the first byte leaves. Called for each answer that carries bytes, so a client
   * that resumes or splits a download leaves one line per request; HEAD, 304 and 416 leave none. `part` is absent when
   * the whole file is answered.
   */
  readonly audit: (part: ByteRange | undefined) => Promise<void>
}

/** A file streamed out of the blob store; one part of it with `Range` (RFC 9110, 14), nothing when the caller has it. */
export async function downloadBlob(db: Database, request: IncomingMessage, blob: DownloadableBlob) {
  const etag = `"${blob.sha256}"`
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    'Content-Disposition': `attachment; filename="${blob.fileName}"`,
  }
  if (namesTag(request.headers['if-none-match'], etag)) {
    return { status: 304, raw: { kind: 'empty' }, headers } as const
  }
  const ifRange = request.headers['if-range']
  const range = ifRange === undefined || ifRange === etag ? rangeOf(request.headers.range, blob.sizeBytes) : undefined
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      raw: { kind: 'empty' },
      headers: { ...headers, 'Content-Range': `bytes */${blob.sizeBytes}` },
    } as const
  }
  const part = range ?? { start: 0, end: blob.sizeBytes - 1 }
  if (request.method === 'GET') await blob.audit(range)
  const lengthBytes = part.end - part.start + 1
  const bytes = readBlob(db, blob.sha256, { fromByte: part.start, toByte: part.end + 1 })
  const stream = Readable.from(bytes, { objectMode: false })
  const raw = { kind: 'stream', stream, lengthBytes } as const
  if (range === undefined) return { status: 200, raw, headers } as const
  return {
    status: 206,
    raw,
    headers: { ...headers, 'Content-Range': `bytes ${part.start}-${part.end}/${blob.sizeBytes}` },
  } as const
}

/** RFC 9110, 13.1.2: a list of tags or `*`, compared weakly. */
function namesTag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag) ?? false
}
