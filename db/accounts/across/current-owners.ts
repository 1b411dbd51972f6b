import { sql, type SqlBool } from 'kysely'
import type { ServiceTransaction } from '../../kernel/queries/service.ts'

/**
 * Returns, by the id of a workspace that was merged, the id of the tenant that owns its rows now. Sums in the memory of a
 * process keep the id of the workspace, so they are written under the id that this returns. A merge that begins later waits for the
 * end of the transaction, and then moves what it wrote.
 */
export async function currentOwners(
  tx: ServiceTransaction,
  tenantIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  // Only workspaces are merged, so the rows of other tenants need no lock.
  const workspaces = await tx.q
    .selectFrom('tenants')
    .select(['id', 'claimed_into as ownerId'])
    .where(sql<SqlBool>`id = any(${[...new Set(tenantIds)]})`)
    .where('kind', '=', 'anonymous')
    .orderBy('id')
    .forKeyShare()
    .execute()
  return new Map(workspaces.flatMap(({ id, ownerId }) => (ownerId === null ? [] : [[id, ownerId] as const])))
}
