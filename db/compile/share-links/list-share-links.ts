import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { ShareLink } from './share-link.ts'

/** Lists the tenant's share links, newest first, including ended ones. Throws `invalid_cursor`. */
export async function listShareLinks(op: Operation, input: PageRequest): Promise<Page<ShareLink>> {
  const newest = newestFirst(input)
  const rows = await op.read((q) =>
    newest.take(
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
        .where('tenant_id', '=', op.tenantId),
    ),
  )
  return newest.page(rows)
}
