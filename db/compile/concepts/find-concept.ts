import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { conceptWithin } from './concept-bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Concept } from './concept.ts'
import type { Version } from './version.ts'

/** Most versions that are read at once, the newest of them. */
const MOST_VERSIONS = 1000

const CONCEPT = [
  'id',
  'tenant_id as tenantId',
  'name',
  'description',
  'tags',
  'visibility',
  'version_count as versionCount',
  'head_version_id as headVersionId',
  'created_at as createdAt',
  'updated_at as updatedAt',
  'deleted_at as deletedAt',
] as const

const VERSION = [
  'id',
  'tenant_id as tenantId',
  'concept_id as conceptId',
  'number',
  'semver',
  'job_id as jobId',
  'parent_version_id as parentVersionId',
  'recipe_kind as recipeKind',
  'k_score as kScore',
  'size_bytes as sizeBytes',
  'created_at as createdAt',
  'deleted_at as deletedAt',
] as const

/** Returns one concept of the tenant with its versions, newest first. Throws `not_found`. */
export async function findConcept(
  op: Operation,
  conceptId: string,
): Promise<{ readonly concept: Concept; readonly versions: readonly Version[] }> {
  const [[concept], versions] = await op.read((q) => [
    q
      .selectFrom('concepts')
      .select(CONCEPT)
      .where('id', '=', conceptId)
      .where('tenant_id', '=', op.tenantId)
      .where('deleted_at', 'is', null)
      .where(conceptWithin(op)),
    q
      .selectFrom('versions')
      .select(VERSION)
      .where('concept_id', '=', conceptId)
      .where('tenant_id', '=', op.tenantId)
      .where('deleted_at', 'is', null)
      .orderBy('number', 'desc')
      .limit(MOST_VERSIONS),
  ])
  if (concept === undefined) throw KERNEL_ERRORS.not_found('no such concept')
  return { concept, versions }
}
