import { revokedError } from './life/revoked-error.ts'
import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import { type DomainError, KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import type { Operation } from '../../kernel/operation.ts'
import { forgottenCount, forgottenLast } from '../jobs/captures/forgotten-uses.ts'
import type { Artifact } from './artifact.ts'
import { revokedSourceLast, revokedSources } from './life/revoked-sources.ts'

const MOST_BY_CID = 200

/** All columns of an artifact, by the names of its properties, and what became of the captures that it learned from. */
export const ARTIFACT = [
  'id',
  'tenant_id as tenantId',
  'concept_id as conceptId',
  'version_id as versionId',
  'name',
  'state',
  'recipe_kind as recipeKind',
  'base_model as baseModel',
  'archive_sha256 as archiveSha256',
  'size_bytes as sizeBytes',
  'cid',
  'manifest_hash as manifestHash',
  'signature',
  'eval_set_hash as evalSetHash',
  'k_score as kScore',
  'holdout_count as holdoutCount',
  'manifest',
  'receipt',
  'evaluation',
  'created_at as createdAt',
  'signed_at as signedAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'revoked_reason as revokedReason',
  forgottenCount('artifacts.id').as('forgottenCaptures'),
  forgottenLast('artifacts.id').as('forgottenLast'),
  revokedSources.as('revokedSources'),
  revokedSourceLast.as('revokedSourceLast'),
] as const

/** Returns one artifact of the tenant. Throws `not_found`, also for another tenant's and for a job without one. */
export async function findArtifact(op: Operation, artifactId: string): Promise<Artifact> {
  const artifact = await readArtifact(op, artifactId)
  if (artifact === undefined) throw KERNEL_ERRORS.not_found('no such artifact')
  return artifact
}

async function readArtifact(op: Operation, artifactId: string): Promise<Artifact | undefined> {
  const [artifact] = await op.read(() => artifactOf({ artifactId, tenantId: op.tenantId }))
  return artifact
}

/** Returns the query of an artifact. */
export const artifactOf = prepared((q, key: { readonly artifactId: string; readonly tenantId: string }) =>
  q.selectFrom('artifacts').select(ARTIFACT).where('id', '=', key.artifactId).where('tenant_id', '=', key.tenantId),
)

/** Returns the tenant's artifacts with that CID, newest first: the same content may have been built several times. */
export async function findByCid(op: Operation, cid: string): Promise<readonly Artifact[]> {
  return await op.read((q) =>
    q
      .selectFrom('artifacts')
      .select(ARTIFACT)
      .where('tenant_id', '=', op.tenantId)
      .where('cid', '=', cid)
      .orderBy('created_at', 'desc')
      .limit(MOST_BY_CID),
  )
}

/**
 * Returns the artifact when its archive may be downloaded: the one guard of every download. Throws `not_found`;
 * `k_score_below_floor` for a gated job, `not_ready` `{status, progress}` for one that is not done or ended otherwise;
 * `artifact_revoked` `{reason, revoked_at, actor}` and `artifact_expired`.
 */
export async function openArchive(op: Operation, artifactId: string): Promise<Artifact> {
  const artifact = await readArtifact(op, artifactId)
  if (artifact === undefined) throw await whyThereIsNone(op, artifactId)
  if (artifact.revokedAt !== null && artifact.revokedAt !== undefined) {
    throw await revokedError(op, artifactId)
  }
  if (artifact.expiresAt !== null && artifact.expiresAt !== undefined && artifact.expiresAt <= op.now()) {
    throw COMPILE_ERRORS.artifact_expired('this artifact has expired')
  }
  return artifact
}

async function whyThereIsNone(op: Operation, jobId: string): Promise<DomainError> {
  const [job] = await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select([
        'status',
        'progress',
        'k_score as kScore',
        'k_score_floor as kScoreFloor',
        'failing_rows as failingRows',
      ])
      .where('id', '=', jobId)
      .where('tenant_id', '=', op.tenantId),
  )
  if (job === undefined) return KERNEL_ERRORS.not_found('no such artifact')
  if (job.status === 'gated') {
    return COMPILE_ERRORS.k_score_below_floor('the best recipe stays below the floor; nothing was signed', {
      details: { k_score: job.kScore, k_score_floor: job.kScoreFloor, failing_rows: job.failingRows ?? [] },
    })
  }
  return COMPILE_ERRORS.not_ready(`the job is ${job.status}`, {
    details: { status: job.status, progress: job.progress },
  })
}
