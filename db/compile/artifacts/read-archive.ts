import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { getBlob } from '../../kernel/blobs/read-blob.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Artifact } from './artifact.ts'
import { openArchive } from './find-artifact.ts'

/** Most bytes of one archive that is held in memory to run it. */
export const MAX_ARCHIVE_BYTES = 336 * 1024 * 1024

/**
 * Reads the archive of an artifact of the tenant, to run it. Throws as `openArchive`, and `not_found` where its concept or version was
 * deleted: such an artifact is downloaded and not run.
 */
export async function readArchive(op: Operation, artifactId: string): Promise<Uint8Array> {
  const { archiveSha256 } = await findRunnableArtifact(op, artifactId)
  const digest: Sha256 = `sha256:${archiveSha256.slice('sha256:'.length)}`
  return await getBlob(op.db, digest, MAX_ARCHIVE_BYTES)
}

/** Returns an artifact of the tenant that may be run. Throws as `readArchive`. */
export async function findRunnableArtifact(op: Operation, artifactId: string): Promise<Artifact> {
  const artifact = await openArchive(op, artifactId)
  const { conceptId, versionId } = artifact
  const [live] = await op.read((q) =>
    q
      .selectFrom('versions as v')
      .innerJoin('concepts as c', 'c.id', 'v.concept_id')
      .select('v.id')
      .where('v.id', '=', versionId)
      .where('c.id', '=', conceptId)
      .where('v.tenant_id', '=', op.tenantId)
      .where('v.deleted_at', 'is', null)
      .where('c.deleted_at', 'is', null),
  )
  if (live === undefined) throw KERNEL_ERRORS.not_found('no such concept, version or artifact')
  return artifact
}
