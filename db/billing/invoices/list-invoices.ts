import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { InvoiceEntity, type Invoice } from './invoice.ts'

/** The tenant's invoices and refunds, newest first. Throws `invalid_cursor`. */
export async function listInvoices(op: Operation, input: PageRequest): Promise<Page<Invoice>> {
  const after = placeOf(input.cursor)
  const at = new Date(after.rank)
  const rows = await forkForTenant(op.db, op.tenantId).find(
    InvoiceEntity,
    { createdAt: { $lte: at }, $or: [{ createdAt: { $lt: at } }, { id: { $lt: after.id } }] },
    { orderBy: [{ createdAt: 'desc' }, { id: 'desc' }], limit: input.limit + 1 },
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.createdAt.getTime(), id: row.id }))
}

/** How many there are. */
export async function countInvoices(op: Operation): Promise<number> {
  const [row] = await op.db.query<{ total: number }>('select count(*) as total from invoices where tenant_id = $1', [
    op.tenantId,
  ])
  return row?.total ?? 0
}
