import type { Operation } from '../../kernel/operation.ts'
import { newestFirst, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { ExportJob } from './export-job.ts'
import { EXPORT } from './find-export.ts'

/** Lists the tenant's exports, newest first. Throws `invalid_cursor`. */
export async function listExports(op: Operation, input: PageRequest): Promise<Page<ExportJob>> {
  const newest = newestFirst(input)
  const rows = await op.read((q) =>
    newest.take(q.selectFrom('exports').select(EXPORT).where('tenant_id', '=', op.tenantId)),
  )
  return newest.page(rows)
}
