import { fieldInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ExportJobEntity, type ExportJob } from './export-job.ts'

/** The tenant's exports, newest first. Throws `invalid_cursor`. */
export async function listExports(op: Operation, input: PageRequest): Promise<Page<ExportJob>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await forkForTenant(op.db, op.tenantId).find(
    ExportJobEntity,
    {
      createdAt: { $lte: at },
      $or: [{ createdAt: { $lt: at } }, { id: { $lt: after.id } }],
      $and: [fieldInBounds(op, 'artifactId')],
    },
    { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], limit: input.limit + 1 },
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}
