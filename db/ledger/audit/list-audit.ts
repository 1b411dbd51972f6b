import { sql } from 'kysely'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'
import type { AuditEntry } from './audit-entry.ts'
import { settleLedger } from './chain/settle.ts'

/** Filter for entries of a ledger. */
export interface AuditFilter {
  /** Written at this time or later. */
  readonly since?: Date | undefined
}

/** Page size for reading the whole ledger. */
const BATCH = 500

/** Lists the tenant's audit ledger, newest first. Throws `invalid_cursor`. */
export async function listAudit(op: Operation, input: PageRequest & AuditFilter): Promise<Page<AuditEntry>> {
  await settleLedger(op.db, op)
  const { rank } = placeOf(input.cursor)
  const rows = await readBefore(op, { ...input, seq: rank, limit: input.limit + 1 })
  return pageOf(rows, input.limit, (row) => ({ rank: row.seq, id: row.id }))
}

/** Returns the number of entries that match the filter. */
export async function countAudit(op: Operation, filter: AuditFilter): Promise<number> {
  const { since } = filter
  if (since === undefined) return await ledgerLength(op, op.tenantId)
  const [row] = await op.read((q) =>
    q
      .selectFrom('audit_entries')
      .select(q.fn.countAll<number>().as('total'))
      .where('tenant_id', '=', op.tenantId)
      .where('at', '>=', since),
  )
  return row?.total ?? 0
}

/** Returns the number of entries in the tenant's ledger. Not counted: their numbers have no gaps. */
export async function ledgerLength(from: Reader, tenantId: string): Promise<number> {
  const [row] = await from.read((q) =>
    q
      .selectFrom('audit_entries')
      .select(sql<number>`coalesce(max(seq) - min(seq) + 1, 0)`.as('length'))
      .where('tenant_id', '=', tenantId),
  )
  return row?.length ?? 0
}

/** Yields every entry that matches the filter, newest first. */
export async function* streamAudit(op: Operation, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  for await (const batch of streamAuditBatches(op, filter)) yield* batch
}

/** Yields every entry that matches the filter, newest first, a few hundred at a time. */
export async function* streamAuditBatches(op: Operation, filter: AuditFilter): AsyncGenerator<readonly AuditEntry[]> {
  await settleLedger(op.db, op)
  for (let seq = Number.MAX_SAFE_INTEGER; ;) {
    const rows = await readBefore(op, { ...filter, seq, limit: BATCH })
    yield rows
    const last = rows.at(-1)
    if (last === undefined || rows.length < BATCH) return
    seq = last.seq
  }
}

async function readBefore(
  op: Operation,
  { since, seq, limit }: AuditFilter & { readonly seq: number; readonly limit: number },
): Promise<readonly AuditEntry[]> {
  return await op.read((q) =>
    q
      .selectFrom('audit_entries')
      .select([
        'tenant_id as tenantId',
        'seq',
        'id',
        'at',
        'actor',
        'action',
        'target',
        'request_id as requestId',
        'payload',
        'key_id as keyId',
        'prev_hash as prevHash',
        'hash',
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('seq', '<', seq)
      .$if(since !== undefined, (all) => all.where('at', '>=', since ?? new Date(0)))
      .orderBy('seq', 'desc')
      .limit(limit),
  )
}
