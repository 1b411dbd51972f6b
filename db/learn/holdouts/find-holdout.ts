import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { tenantOf, type Operation } from '../../kernel/operation.ts'
import type { HoldoutCorpus } from './holdout-corpus.ts'

/** The public facts of a corpus: everything but its rows. */
export type HoldoutFacts = Omit<HoldoutCorpus, 'tenantId' | 'keyVersion' | 'sealedKey' | 'blobSha256' | 'deletedAt'>

/** The columns of a corpus beside its rows. */
export const HOLDOUT_FACTS = [
  'id',
  'name',
  'namespace',
  'lineage_id as lineageId',
  'state',
  'row_count as rowCount',
  'skipped',
  'size_bytes as sizeBytes',
  'root',
  'normalized_hash as normalizedHash',
  'tags',
  'metadata',
  'created_at as createdAt',
  'revealed_at as revealedAt',
] as const

/** Returns a corpus by its name. Throws `not_found`, also for another tenant's and for a deleted one. */
export async function findHoldout(op: Operation, name: string): Promise<HoldoutFacts> {
  const [corpus] = await op.read((q) =>
    q
      .selectFrom('holdout_corpora')
      .select(HOLDOUT_FACTS)
      .where('tenant_id', '=', op.tenantId)
      .where('name', '=', name.toLowerCase())
      .where('state', '<>', 'deleted'),
  )
  if (corpus === undefined) throw noHoldout()
  return corpus
}

/** Returns the corpora that are not deleted, newest first; their number is bounded by `holdouts_per_tenant`. */
export async function listHoldouts(op: Operation): Promise<readonly HoldoutFacts[]> {
  return await op.read((q) =>
    q
      .selectFrom('holdout_corpora')
      .select(HOLDOUT_FACTS)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '<>', 'deleted')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc'),
  )
}

/** The error of a corpus that is not there. */
export function noHoldout() {
  return KERNEL_ERRORS.not_found('no such holdout')
}

/**
 * Returns the attempts on each lineage of the tenant, in the order of their registration: true where one was promoted. Those of
 * all namespaces count, as in a registration.
 */
export async function attemptsByLineage({ db, tenantId }: Operation): Promise<ReadonlyMap<string, readonly boolean[]>> {
  const gates = await tenantOf(db, tenantId).read((q) =>
    q
      .selectFrom('gates as g')
      .innerJoin('holdout_corpora as c', 'c.id', 'g.holdout_id')
      .select(['c.lineage_id as lineageId', 'g.decision'])
      .where('g.tenant_id', '=', tenantId)
      .orderBy('g.created_at')
      .orderBy('g.id'),
  )
  const attempts = new Map<string, boolean[]>()
  for (const { lineageId, decision } of gates) {
    attempts.set(lineageId, [...(attempts.get(lineageId) ?? []), decision === 'promote'])
  }
  return attempts
}
