import { sql, type SqlBool } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { ShareLink } from './share-link.ts'

/** Lists the tenant's share links, newest first, including ended ones. Throws `invalid_cursor`. */
export async function listShareLinks(op: Operation, input: PageRequest): Promise<Page<ShareLink>> {
  const after = placeOf(input.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('share_links')
      .select([
        'id',
        'tenant_id as tenantId',
        'kind',
        'target_id as targetId',
        'created_by as createdBy',
        'created_at as createdAt',
        'expires_at as expiresAt',
        'revoked_at as revokedAt',
        'opened_count as openedCount',
        'run_limit as runLimit',
        'run_count as runCount',
      ])
      .where('tenant_id', '=', op.tenantId)
      .where(sql<SqlBool>`(created_at, id) < (${new Date(after.rank)}, ${after.id})`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}
