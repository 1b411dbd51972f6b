import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { getBlob } from '../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../kernel/operation.ts'
import { openArchive } from './find-artifact.ts'

/** Most bytes of one archive that is held in memory to run it. */
export const MAX_ARCHIVE_BYTES = 336 * 1024 * 1024

/** Reads the archive of an artifact of the tenant, to run it. Throws as `openArchive`. */
export async function readArchive(op: Operation, artifactId: string): Promise<Uint8Array> {
  const { archiveSha256 } = await openArchive(op, artifactId)
  const digest: Sha256 = `sha256:${archiveSha256.slice('sha256:'.length)}`
  return await getBlob(op.db, digest, MAX_ARCHIVE_BYTES)
}
