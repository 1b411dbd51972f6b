import { DomainError } from '../../../core/kernel/errors.ts'
import type { JobStatus } from '../../../core/compile/task.ts'
import type { Database } from '../../kernel/database.ts'
import { boundsOf, fieldInBounds, specInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ArtifactEntity, type Artifact } from './artifact.ts'

const MOST_BY_CID = 200

/** One artifact of the tenant. Throws `not_found`, also for another tenant's and for a job without one. */
export async function findArtifact(op: Operation, artifactId: string): Promise<Artifact> {
  const artifact = await forkForTenant(op.db, op.tenantId).findOne(ArtifactEntity, {
    $and: [{ id: artifactId }, fieldInBounds(op, 'id')],
  })
  if (artifact === null) throw new DomainError('not_found', 'no such artifact')
  return artifact
}

/** One artifact of whatever tenant, for the activities that work on it. Throws `not_found`. */
export async function findArtifactForWork(db: Database, artifactId: string): Promise<Artifact> {
  const artifact = await db.fork().findOne(ArtifactEntity, { id: artifactId }, { filters: false })
  if (artifact === null) throw new DomainError('not_found', 'no such artifact')
  return artifact
}

/** The tenant's artifacts with that CID, newest first: the same content may have been built several times. */
export async function findByCid(op: Operation, cid: string): Promise<readonly Artifact[]> {
  return await forkForTenant(op.db, op.tenantId).find(
    ArtifactEntity,
    { $and: [{ cid }, fieldInBounds(op, 'id')] },
    { orderBy: { createdAt: 'desc' }, limit: MOST_BY_CID },
  )
}

/**
 * The artifact whose archive may be downloaded: the one guard of all ways to it. Throws `not_found`;
 * `k_score_below_floor` for a gated job, `not_ready` `{status, progress}` for one that is not done or ended otherwise;
 * `artifact_revoked` and `artifact_expired`.
 */
export async function openArchive(op: Operation, artifactId: string): Promise<Artifact> {
  const em = forkForTenant(op.db, op.tenantId)
  const artifact = await em.findOne(ArtifactEntity, { $and: [{ id: artifactId }, fieldInBounds(op, 'id')] })
  if (artifact === null) throw await whyThereIsNone(op, artifactId)
  if (artifact.revokedAt !== null && artifact.revokedAt !== undefined) {
    throw new DomainError('artifact_revoked', 'this artifact was revoked', {
      details: { reason: artifact.revokedReason ?? null, revoked_at: artifact.revokedAt.toISOString() },
    })
  }
  if (artifact.expiresAt !== null && artifact.expiresAt !== undefined && artifact.expiresAt <= op.now()) {
    throw new DomainError('artifact_expired', 'this artifact has expired')
  }
  return artifact
}

async function whyThereIsNone(op: Operation, jobId: string): Promise<DomainError> {
  const [job] = await op.db.query<{
    status: JobStatus
    progress: number
    kScore: number | null
    kScoreFloor: number
    failingRows: readonly string[] | null
  }>(
    `select status, progress, k_score as "kScore", k_score_floor as "kScoreFloor", failing_rows as "failingRows"
     from compile_jobs where id = $1 and tenant_id = $2 and ${specInBounds('compile_jobs', 3)}`,
    [jobId, op.tenantId, boundsOf(op)],
  )
  if (job === undefined) return new DomainError('not_found', 'no such artifact')
  if (job.status === 'gated') {
    return new DomainError('k_score_below_floor', 'the best recipe stays below the floor; nothing was signed', {
      details: { k_score: job.kScore, k_score_floor: job.kScoreFloor, failing_rows: job.failingRows ?? [] },
    })
  }
  return new DomainError('not_ready', `the job is ${job.status}`, {
    details: { status: job.status, progress: job.progress },
  })
}
