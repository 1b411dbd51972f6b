import type { Operation } from '../../kernel/operation.ts'
import { findConcept } from './find-concept.ts'

/** Source of a version. */
export interface UpstreamLink {
  readonly versionId: string
  readonly parentVersionId: string | null
  readonly jobId: string
  readonly datasetHash: string
  readonly baseModel: string
}

/** Versions derived from a version. */
export interface DownstreamLink {
  readonly versionId: string
  readonly artifactId: string
  readonly cid: string
  readonly createdAt: Date
}

/** Sources of a concept and versions derived from it. */
export interface Lineage {
  readonly conceptId: string
  readonly headVersionId: string | null
  readonly upstream: readonly UpstreamLink[]
  readonly downstream: readonly DownstreamLink[]
}

/** Returns the lineage of a concept of the tenant, newest version first. Throws `not_found`. */
export async function conceptLineage(op: Operation, conceptId: string): Promise<Lineage> {
  const { concept } = await findConcept(op, conceptId)
  const rows = await op.read((q) =>
    q
      .selectFrom('versions as v')
      .innerJoin('compile_jobs as j', 'j.id', 'v.job_id')
      .innerJoin('artifacts as a', 'a.version_id', 'v.id')
      .select([
        'v.id as versionId',
        'v.parent_version_id as parentVersionId',
        'v.job_id as jobId',
        'j.dataset_hash as datasetHash',
        'j.base_model as baseModel',
        'a.id as artifactId',
        'a.cid',
        'a.created_at as createdAt',
      ])
      .where('v.concept_id', '=', conceptId)
      .where('v.tenant_id', '=', op.tenantId)
      .where('v.deleted_at', 'is', null)
      .orderBy('v.number', 'desc')
      .limit(1000),
  )
  return {
    conceptId,
    headVersionId: concept.headVersionId ?? null,
    upstream: rows.map(({ versionId, parentVersionId, jobId, datasetHash, baseModel }) => ({
      versionId,
      parentVersionId,
      jobId,
      datasetHash,
      baseModel,
    })),
    downstream: rows.map(({ versionId, artifactId, cid, createdAt }) => ({ versionId, artifactId, cid, createdAt })),
  }
}
