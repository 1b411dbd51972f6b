import { sql } from 'kysely'
import type { TenantAccess } from '../../kernel/operation.ts'
import { DATASET_SOURCES, HAS_DATASET } from './dataset-sources.ts'
import type { Sources } from './descendants.ts'

/** Ids of changed things, sorted by what they name. */
export interface ChangedSources extends Required<Sources> {
  /** Ids that name nothing of the tenant. */
  readonly unknown: readonly string[]
}

/**
 * Finds what ids name: artifacts (by id, version or CID) and jobs without one, captures, forgotten ones too, pieces of evidence,
 * and distillations, datasets and their versions (`ds_…/v3`) whose rows were compiled.
 */
export async function sortChanged(tenant: TenantAccess, ids: readonly string[]): Promise<ChangedSources> {
  if (ids.length === 0) return { artifacts: [], captures: [], nodes: [], unknown: [] }
  const { tenantId } = tenant
  const isAmong = (column: string) => sql<boolean>`${sql.ref(column)} = any(${[...ids]}::text[])`
  const [artifacts, jobs, captures, uses, nodes, datasets] = await tenant.read((q) => [
    q
      .selectFrom('artifacts')
      .select(['id', 'version_id as versionId', 'cid'])
      .where('tenant_id', '=', tenantId)
      .where((of) => of.or([isAmong('id'), isAmong('version_id'), isAmong('cid')])),
    q.selectFrom('compile_jobs').select('id').where('tenant_id', '=', tenantId).where(isAmong('id')),
    q.selectFrom('captures').select('id').where('tenant_id', '=', tenantId).where(isAmong('id')),
    // Captures whose rows are gone are still known by what learned from them.
    q
      .selectFrom('compile_captures')
      .select('capture_id as id')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where(isAmong('capture_id')),
    q
      .selectFrom('evidence_nodes')
      .select('node_id as id')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where(isAmong('node_id')),
    q
      .selectFrom((from) =>
        from
          .selectFrom('compile_jobs as j')
          .select(DATASET_SOURCES.as('id'))
          .where('j.tenant_id', '=', tenantId)
          .where(HAS_DATASET)
          .as('s'),
      )
      .select('s.id')
      .distinct()
      .where(isAmong('s.id')),
  ])
  const sorted = {
    artifacts: [...new Set([...artifacts, ...jobs].map(({ id }) => id))],
    captures: [...new Set([...captures, ...uses].map(({ id }) => id))],
    nodes: [...new Set([...nodes, ...datasets].map(({ id }) => id))],
  }
  const known = new Set([
    ...Object.values(sorted).flat(),
    ...artifacts.flatMap(({ versionId, cid }) => [versionId, cid]),
  ])
  return { ...sorted, unknown: ids.filter((id) => !known.has(id)) }
}
