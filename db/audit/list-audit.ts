import type { Operation } from '../operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../page.ts'
import { forkForTenant } from '../tenant-filter.ts'
import { AuditEntryEntity, type AuditEntry } from './audit-entry.ts'

/** The tenant's audit ledger, newest first. Throws `invalid_cursor`. */
export async function listAudit(op: Operation, input: PageRequest): Promise<Page<AuditEntry>> {
  const rows = await forkForTenant(op.db, op.tenantId).find(
    AuditEntryEntity,
    { seq: { $lt: placeOf(input.cursor).rank } },
    { orderBy: { seq: 'desc' }, limit: input.limit + 1 },
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.seq, id: row.id }))
}
