import { Readable } from 'node:stream'
import { openArchive } from '../../db/artifacts/find-artifact.ts'
import { recordDownload } from '../../db/artifacts/record-download.ts'
import { readBlob } from '../../db/blobs/read-blob.ts'
import type { Operation } from '../../db/operation.ts'
import { rawAnswer } from '../kernel/reply/answers.ts'
import type { CallFacts } from '../kernel/route.ts'
import { toSha256 } from '../digest.ts'
import { rangeOf } from './range.ts'

/** The answers of a download. */
export const ARCHIVE_ANSWERS = {
  200: rawAnswer('The archive', 'application/zip'),
  206: rawAnswer('The part of the archive that `Range` asks for', 'application/zip'),
  304: rawAnswer('`If-None-Match` names the archive', 'application/zip'),
  416: rawAnswer('`Range` asks for what is not there', 'application/zip'),
}

/** The errors of a download. */
export const ARCHIVE_ERRORS = ['not_ready', 'k_score_below_floor', 'artifact_expired', 'artifact_revoked'] as const

/**
 * The archive of a job, streamed out of the blob store; one part of it with `Range`. A download is audited once, when
 * its first byte is asked for.
 */
export async function download(
  { op, request }: Pick<CallFacts, 'request'> & { readonly op: Operation },
  jobId: string,
) {
  const artifact = await openArchive(op, jobId)
  const etag = `"${artifact.archiveSha256}"`
  const headers = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
    'Content-Disposition': `attachment; filename="${artifact.id}.svc"`,
  }
  if (namesTag(request.headers['if-none-match'], etag)) {
    return { status: 304, raw: { kind: 'empty' }, headers } as const
  }
  const ifRange = request.headers['if-range']
  const range =
    ifRange === undefined || ifRange === etag ? rangeOf(request.headers.range, artifact.sizeBytes) : undefined
  if (range === 'unsatisfiable') {
    return {
      status: 416,
      raw: { kind: 'empty' },
      headers: { ...headers, 'Content-Range': `bytes */${artifact.sizeBytes}` },
    } as const
  }
  const part = range ?? { start: 0, end: artifact.sizeBytes - 1 }
  if (request.method === 'GET' && part.start === 0) await recordDownload(op, { artifactId: artifact.id })
  const lengthBytes = part.end - part.start + 1
  const bytes = readBlob(op.db, toSha256(artifact.archiveSha256), { fromByte: part.start, toByte: part.end + 1 })
  const stream = Readable.from(bytes, { objectMode: false })
  const raw = { kind: 'stream', stream, lengthBytes } as const
  if (range === undefined) return { status: 200, raw, headers } as const
  return {
    status: 206,
    raw,
    headers: { ...headers, 'Content-Range': `bytes ${part.start}-${part.end}/${artifact.sizeBytes}` },
  } as const
}

/** RFC 9110, 13.1.2: a list of tags or `*`, compared weakly. */
function namesTag(header: string | undefined, etag: string): boolean {
  return header?.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag) ?? false
}
