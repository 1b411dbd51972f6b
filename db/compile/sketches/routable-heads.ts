import { sql, type SqlBool } from 'kysely'
import { OUT_OF_FORCE } from '../../../core/compile/artifacts/life/states.ts'
import type { TenantAccess } from '../../kernel/operation.ts'

/** The head of a concept that calls can be routed to. */
export interface RoutableHead {
  readonly conceptId: string
  readonly name: string
  readonly task: string
  readonly tags: readonly string[]
  readonly versionId: string
  readonly artifactId: string
  /** When its artifact expires; null for never. */
  readonly expiresAt: Date | null
}

/** Concepts of a tenant that calls are routed to at most, the ones that changed last. */
const MOST_HEADS = 2000

/** Returns the heads of the tenant's concepts that are in force, within the namespaces of the access, by concept. */
export async function routableHeads(from: TenantAccess): Promise<readonly RoutableHead[]> {
  return await from.read((q) =>
    q
      .selectFrom('concepts as c')
      .innerJoin('artifacts as a', 'a.version_id', 'c.head_version_id')
      .innerJoin('versions as v', 'v.id', 'a.version_id')
      .select([
        'c.id as conceptId',
        'c.name',
        'a.name as task',
        'c.tags',
        'v.id as versionId',
        'a.id as artifactId',
        'a.expires_at as expiresAt',
      ])
      .where('c.tenant_id', '=', from.tenantId)
      .where('c.deleted_at', 'is', null)
      .where('v.deleted_at', 'is', null)
      .where('a.state', 'not in', [...OUT_OF_FORCE])
      .where('a.revoked_at', 'is', null)
      .where(sql<SqlBool>`(a.expires_at is null or a.expires_at > now())`)
      .orderBy('c.updated_at', 'desc')
      .limit(MOST_HEADS),
  )
}

/** Reads the sketches of artifacts of the tenant, by artifact. */
export async function readSketches(
  from: TenantAccess,
  artifactIds: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (artifactIds.length === 0) return new Map()
  const rows = await from.read((q) =>
    q
      .selectFrom('version_sketches')
      .select(['artifact_id as artifactId', 'sketch'])
      .where('tenant_id', '=', from.tenantId)
      .where('artifact_id', 'in', [...artifactIds]),
  )
  return new Map(rows.map(({ artifactId, sketch }) => [artifactId, sketch]))
}
