import { fieldInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ShareLinkEntity, type ShareLink } from './share-link.ts'

/** The tenant's share links, newest first, ended ones too. Throws `invalid_cursor`. */
export async function listShareLinks(op: Operation, input: PageRequest): Promise<Page<ShareLink>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await forkForTenant(op.db, op.tenantId).find(
    ShareLinkEntity,
    {
      createdAt: { $lte: at },
      $or: [{ createdAt: { $lt: at } }, { id: { $lt: after.id } }],
      $and: [fieldInBounds(op, 'targetId')],
    },
    { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], limit: input.limit + 1 },
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}
