import { sql, type SqlBool } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { ExportJob } from './export-job.ts'
import { EXPORT } from './find-export.ts'

/** Lists the tenant's exports, newest first. Throws `invalid_cursor`. */
export async function listExports(op: Operation, input: PageRequest): Promise<Page<ExportJob>> {
  const after = placeOf(input.cursor)
  const rows = await op.read((q) =>
    q
      .selectFrom('exports')
      .select(EXPORT)
      .where('tenant_id', '=', op.tenantId)
      .where(sql<SqlBool>`(created_at, id) < (${new Date(after.rank)}, ${after.id})`)
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(input.limit + 1),
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}
