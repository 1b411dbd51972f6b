import type { Operation } from '../operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../page.ts'
import { forkForTenant } from '../tenant-filter.ts'
import { AuditEntryEntity, type AuditEntry } from './audit-entry.ts'
import { settleLedger } from './settle.ts'

/** Which entries of a ledger. */
export interface AuditFilter {
  /** Written at this time or later. */
  readonly since?: Date | undefined
  readonly action?: string | undefined
}

/** Entries that are read at once when the whole ledger is. */
const BATCH = 500

/** The tenant's audit ledger, newest first. Throws `invalid_cursor`. */
export async function listAudit(op: Operation, input: PageRequest & AuditFilter): Promise<Page<AuditEntry>> {
  await settleLedger(op.db, op)
  const { rank } = placeOf(input.cursor)
  const rows = await readBefore(op, { ...input, seq: rank, limit: input.limit + 1 })
  return pageOf(rows, input.limit, (row) => ({ rank: row.seq, id: row.id }))
}

/** How many entries the filter lets through. */
export async function countAudit(op: Operation, filter: AuditFilter): Promise<number> {
  return await forkForTenant(op.db, op.tenantId).count(AuditEntryEntity, conditionOf(filter))
}

/** Every entry that the filter lets through, newest first, a few hundred in memory at a time. */
export async function* streamAudit(op: Operation, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  await settleLedger(op.db, op)
  for (let seq = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await readBefore(op, { ...filter, seq, limit: BATCH })
    yield* rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    seq = last.seq
  }
}

async function readBefore(
  op: Operation,
  input: AuditFilter & { readonly seq: number; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  return await forkForTenant(op.db, op.tenantId).find(
    AuditEntryEntity,
    { seq: { $lt: input.seq }, ...conditionOf(input) },
    { orderBy: { seq: 'desc' }, limit: input.limit },
  )
}

function conditionOf({ since, action }: AuditFilter) {
  return { ...(since && { at: { $gte: since } }), ...(action !== undefined && { action }) }
}
