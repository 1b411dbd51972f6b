import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeByCreation, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { KEY_COLUMNS, type ApiKey } from './api-key.ts'

/** Lists the tenant's live keys, the primary one first, then the newest. */
export async function listLiveKeys(op: Operation): Promise<readonly ApiKey[]> {
  const keys = await op.read((q) =>
    q
      .selectFrom('api_keys')
      .select(KEY_COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('kind', 'in', ['primary', 'scoped'])
      .where('revoked_at', 'is', null)
      .where((of) => of.or([of('expires_at', 'is', null), of('expires_at', '>', op.now())]))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc'),
  )
  return keys.toSorted((one, other) => Number(other.kind === 'primary') - Number(one.kind === 'primary'))
}

/** Lists the tenant's scoped keys, newest first, including ended ones. Throws `invalid_cursor`. */
export async function listScopedKeys(op: Operation, input: PageRequest): Promise<Page<ApiKey>> {
  const { rank, id } = placeOf(input.cursor)
  const at = new Date(rank)
  const rows = await op.read((q) =>
    q
      .selectFrom('api_keys')
      .select(KEY_COLUMNS)
      .where('tenant_id', '=', op.tenantId)
      .where('kind', '=', 'scoped')
      .where((of) => of(of.refTuple('created_at', 'id'), '<', of.tuple(at, id)))
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, placeByCreation)
}
