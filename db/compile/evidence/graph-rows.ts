import { sql } from 'kysely'
import type { GraphJob, GraphRows } from '../../../core/compile/artifacts/lineage/graph-rows.ts'
import { usedDatasetOf } from '../../../core/compile/wire/jobs/dataset.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import type { TenantAccess } from '../../kernel/operation.ts'
import { countRows } from '../../kernel/queries/count-rows.ts'
import { forgottenCount } from '../jobs/captures/forgotten-uses.ts'
import type { StoredDag } from './write-dag.ts'

/** Returns the ids of the tenant's newest artifacts, at most `limit`. */
export async function newestArtifacts(tenant: TenantAccess, limit: number): Promise<readonly string[]> {
  const rows = await tenant.read((q) =>
    q
      .selectFrom('artifacts')
      .select('id')
      .where('tenant_id', '=', tenant.tenantId)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit),
  )
  return rows.map(({ id }) => id)
}

/** Returns what a graph of jobs and their artifacts is made of, and which of the captures they learned from. */
export async function graphRows(
  tenant: TenantAccess,
  jobIds: readonly string[],
  captures: readonly string[],
): Promise<GraphRows> {
  const { tenantId } = tenant
  const isOf = (column: string) => sql<boolean>`${sql.ref(column)} = any(${[...jobIds]}::text[])`
  const [jobs, nodes, edges, uses] = await tenant.read((q) => [
    q
      .selectFrom('compile_jobs as j')
      .leftJoin('artifacts as a', 'a.id', 'j.id')
      .leftJoin('versions as v', 'v.job_id', 'j.id')
      .leftJoin('versions as p', 'p.id', 'v.parent_version_id')
      .select((of) => [
        'j.id',
        'j.task',
        'j.status',
        sql<string | null>`j.spec ->> 'earlier_job'`.as('earlierJob'),
        sql<Json>`j.spec -> 'dataset'`.as('dataset'),
        sql<string | null>`j.spec #>> '{distil,student,artifact_id}'`.as('student'),
        sql<string | null>`j.spec #>> '{distil,teacher,artifact_id}'`.as('teacher'),
        'a.name',
        'a.cid',
        'a.state',
        'a.k_score as kScore',
        'a.recipe_kind as recipeKind',
        'a.created_at as createdAt',
        'v.id as versionId',
        'v.concept_id as conceptId',
        'v.semver',
        'p.job_id as parent',
        countRows(of.selectFrom('compile_captures as u').whereRef('u.job_id', '=', 'j.id')).as('captures'),
        forgottenCount('j.id').as('forgotten'),
      ])
      .where('j.tenant_id', '=', tenantId)
      .where(isOf('j.id'))
      .orderBy('j.created_at', 'desc')
      .orderBy('j.id', 'desc'),
    q
      .selectFrom('evidence_nodes')
      .select(['artifact_id as artifactId', sql<StoredDag['nodes'][number]>`facts`.as('facts')])
      .where('tenant_id', '=', tenantId)
      .where(isOf('artifact_id'))
      .orderBy('artifact_id')
      .orderBy('position'),
    q
      .selectFrom('evidence_edges')
      .select(['artifact_id as artifactId', 'from_node as from', 'to_node as to', 'relationship'])
      .where('tenant_id', '=', tenantId)
      .where(isOf('artifact_id'))
      .orderBy('artifact_id')
      .orderBy('position'),
    q
      .selectFrom('compile_captures')
      .select([
        'job_id as artifactId',
        'capture_id as captureId',
        sql<boolean>`forgotten_at is not null`.as('isForgotten'),
      ])
      .where('tenant_id', '=', tenantId)
      .where(isOf('job_id'))
      .where(sql<boolean>`capture_id = any(${[...captures]}::text[])`),
  ])
  return { jobs: jobs.map(graphJob), nodes, edges, uses }
}

interface JobRow extends Omit<GraphJob, 'artifact' | 'dataset'> {
  readonly dataset: Json
  readonly name: string | null
  readonly cid: string | null
  readonly state: string | null
  readonly kScore: number | null
  readonly recipeKind: string | null
  readonly createdAt: Date | null
  readonly versionId: string | null
  readonly conceptId: string | null
  readonly semver: string | null
}

function graphJob({
  id,
  task,
  status,
  earlierJob,
  parent,
  student,
  teacher,
  dataset,
  captures,
  forgotten,
  ...row
}: JobRow): GraphJob {
  const { name, cid, state, kScore, recipeKind, createdAt, versionId, conceptId, semver } = row
  const isArtifact = name !== null && cid !== null && state !== null && kScore !== null && createdAt !== null
  return {
    id,
    task,
    status,
    earlierJob,
    parent,
    student,
    teacher,
    dataset: usedDatasetOf({ dataset }) ?? null,
    captures,
    forgotten,
    artifact: isArtifact ? { name, cid, state, kScore, recipeKind, createdAt, versionId, conceptId, semver } : null,
  }
}
