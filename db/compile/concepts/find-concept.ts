import { DomainError } from '../../../core/kernel/errors.ts'
import { requireConceptInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ConceptEntity, type Concept } from './concept.ts'
import { VersionEntity, type Version } from './version.ts'

/** Most versions that are read at once, the newest of them. */
const MOST_VERSIONS = 1000

/** One concept of the tenant with its versions, newest first. Throws `not_found`. */
export async function findConcept(
  op: Operation,
  conceptId: string,
): Promise<{ readonly concept: Concept; readonly versions: readonly Version[] }> {
  await requireConceptInBounds(op, op, conceptId)
  const em = forkForTenant(op.db, op.tenantId)
  const concept = await em.findOne(ConceptEntity, { id: conceptId, deletedAt: null })
  if (concept === null) throw new DomainError('not_found', 'no such concept')
  const versions = await em.find(
    VersionEntity,
    { conceptId, deletedAt: null },
    { orderBy: { number: 'desc' }, limit: MOST_VERSIONS },
  )
  return { concept, versions }
}
