import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { AuditEntry } from './audit-entry.ts'
import { settleLedger } from './chain/settle.ts'

/** Which entries of a ledger. */
export interface AuditFilter {
  /** Written at this time or later. */
  readonly since?: Date | undefined
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
  if (filter.since === undefined) return await ledgerLength(op)
  const [row] = await op.db.query<{ total: number }>(
    'select count(*) as total from audit_entries where tenant_id = $1 and at >= $2',
    [op.tenantId, filter.since],
  )
  return row?.total ?? 0
}

/** How many entries the tenant's ledger holds. Not counted: they have numbers without gaps. */
export async function ledgerLength({ db, tenantId }: Pick<Operation, 'db' | 'tenantId'>): Promise<number> {
  const [row] = await db.query<{ length: number }>(
    `select coalesce(max(seq) - min(seq) + 1, 0) as length from audit_entries where tenant_id = $1`,
    [tenantId],
  )
  return row?.length ?? 0
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
  { db, tenantId }: Operation,
  { since, seq, limit }: AuditFilter & { readonly seq: number; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  return await db.query<AuditEntry>(
    `select tenant_id as "tenantId", seq, id, at, actor, action, target, request_id as "requestId", payload,
       key_id as "keyId", prev_hash as "prevHash", hash
     from audit_entries where tenant_id = $1 and seq < $2 and ($3::timestamptz is null or at >= $3)
     order by seq desc limit $4`,
    [tenantId, seq, since ?? null, limit],
  )
}
