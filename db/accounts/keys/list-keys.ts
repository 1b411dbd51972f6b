import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ApiKeyEntity, type ApiKey } from './api-key.ts'

/** The tenant's keys that are in force, the primary one first, then the newest. */
export async function listLiveKeys(op: Operation): Promise<readonly ApiKey[]> {
  const keys = await forkForTenant(op.db, op.tenantId).find(
    ApiKeyEntity,
    {
      kind: { $in: ['primary', 'scoped'] },
      revokedAt: null,
      $or: [{ expiresAt: null }, { expiresAt: { $gt: op.now() } }],
    },
    { orderBy: { createdAt: 'desc', id: 'desc' } },
  )
  return keys.toSorted((one, other) => Number(other.kind === 'primary') - Number(one.kind === 'primary'))
}

/** The tenant's scoped keys, newest first, those that have ended among them. Throws `invalid_cursor`. */
export async function listScopedKeys(op: Operation, input: PageRequest): Promise<Page<ApiKey>> {
  const { rank, id } = placeOf(input.cursor)
  const at = new Date(rank)
  const rows = await forkForTenant(op.db, op.tenantId).find(
    ApiKeyEntity,
    { kind: 'scoped', $or: [{ createdAt: { $lt: at } }, { createdAt: at, id: { $lt: id } }] },
    { orderBy: { createdAt: 'desc', id: 'desc' }, limit: input.limit + 1 },
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}
