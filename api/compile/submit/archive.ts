import type { ContentMembers } from '../../../core/compile/archive/members/content.ts'
import { unpackArchive } from '../../../core/compile/archive/unpack.ts'
import { checkContent } from '../../../core/compile/archive/verify/checks.ts'
import { loadArchive } from '../../../core/compile/runtime/load-archive.ts'
import type { Artifact } from '../../../db/compile/artifacts/artifact.ts'
import { openArchive } from '../../../db/compile/artifacts/find-artifact.ts'
import { recordDownload } from '../../../db/compile/artifacts/record-download.ts'
import { getBlob } from '../../../db/kernel/blobs/read-blob.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { downloadBlob } from '../../kernel/reply/blob-download.ts'
import { toSha256 } from '../../kernel/reply/digest.ts'
import { rawAnswer } from '../../kernel/reply/answers.ts'
import type { CallFacts } from '../services.ts'

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
 * The archive of a job, streamed out of the blob store; one part of it with `Range`. Each answer with
 * bytes is audited.
 */
export async function download(
  { op, request }: Pick<CallFacts, 'request'> & { readonly op: Operation },
  jobId: string,
) {
  const artifact = await openArchive(op, jobId)
  return await downloadBlob(op.db, request, {
    sha256: toSha256(artifact.archiveSha256),
    sizeBytes: artifact.sizeBytes,
    fileName: `${artifact.id}.svc`,
    audit: async (part) => await recordDownload(op, { artifactId: artifact.id, part }),
  })
}

/** The largest archive that is opened in memory, bytes. */
const MOST_ARCHIVE_BYTES = 256 * 1024 * 1024

/** Opens the stored archive of an artifact. Throws `payload_too_large` and `invalid_archive`. */
export async function loadStored(op: Operation, { archiveSha256 }: Pick<Artifact, 'archiveSha256'>) {
  return await loadArchive(await getBlob(op.db, toSha256(archiveSha256), MOST_ARCHIVE_BYTES))
}

/**
 * Reads the content of the stored archive of an artifact. It was verified when it was stored, and its recipe is not
 * opened: this is for reading, not for running. Throws `payload_too_large` and `invalid_archive`.
 */
export async function readStored(
  op: Operation,
  { archiveSha256 }: Pick<Artifact, 'archiveSha256'>,
): Promise<ContentMembers> {
  return checkContent(await unpackArchive(await getBlob(op.db, toSha256(archiveSha256), MOST_ARCHIVE_BYTES)))
}
