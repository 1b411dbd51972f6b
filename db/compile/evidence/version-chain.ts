import { sql } from 'kysely'
import type { ArtifactState } from '../../../core/compile/artifacts/life/states.ts'
import type { TenantAccess } from '../../kernel/operation.ts'

/** An artifact of a chain of versions. */
export interface ChainLink {
  readonly artifactId: string
  readonly cid: string
  readonly versionId: string
  readonly semver: string
  readonly state: ArtifactState
  readonly kScore: number
  readonly createdAt: Date
  /** The version before it; null for a first one. */
  readonly parentVersionId: string | null
}

/** Returns an artifact of the tenant and the artifacts of the versions before it, newest first, at most `most`. */
export async function versionChain(
  tenant: TenantAccess,
  artifactId: string,
  most: number,
): Promise<readonly ChainLink[]> {
  const { tenantId } = tenant
  const rows = await tenant.read((q) =>
    q
      // The number of steps ends the walk, so pointers in a circle cannot keep it going.
      .withRecursive('chain(id, step)', (within) =>
        within
          .selectFrom('versions as first')
          .select(['first.id', sql<number>`1`.as('step')])
          .where('first.job_id', '=', artifactId)
          .where('first.tenant_id', '=', tenantId)
          .unionAll(
            within
              .selectFrom('chain')
              .innerJoin('versions as child', 'child.id', 'chain.id')
              .innerJoin('versions as parent', 'parent.id', 'child.parent_version_id')
              .select(['parent.id', sql<number>`chain.step + 1`.as('step')])
              .where('chain.step', '<', most)
              .where('child.tenant_id', '=', tenantId)
              .where('parent.tenant_id', '=', tenantId),
          ),
      )
      .selectFrom('chain')
      .innerJoin('versions', 'versions.id', 'chain.id')
      .innerJoin('artifacts', 'artifacts.version_id', 'chain.id')
      .select([
        'artifacts.id as artifactId',
        'artifacts.cid',
        'versions.id as versionId',
        'versions.semver',
        'artifacts.state',
        'artifacts.k_score as kScore',
        'artifacts.created_at as createdAt',
        'versions.parent_version_id as parentVersionId',
      ])
      .where('artifacts.tenant_id', '=', tenantId)
      .where('versions.tenant_id', '=', tenantId)
      .orderBy('chain.step'),
  )
  return rows
}
