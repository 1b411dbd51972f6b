import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../kernel/tables/page.ts'

/** A line of some tenant's ledger. */
export interface AuditLine {
  readonly id: string
  readonly seq: number
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly requestId: string
  readonly tenantId: string
  readonly tenantName: string
  readonly payload: JsonObject
}

/** Which lines. */
export interface AuditSearch extends PageRequest {
  readonly tenantId?: string | undefined
  readonly action?: string | undefined
}

const MATCHES = '($1::text is null or e.tenant_id = $1) and ($2::text is null or e.action = $2)'

/** The ledgers of all tenants, newest first. Throws `invalid_cursor`. */
export async function listAllAudit(op: Operation, input: AuditSearch): Promise<Page<AuditLine>> {
  const after = placeOf(input.cursor)
  const rows = await op.db.query<AuditLine>(
    `select e.id, e.seq, e.at, e.actor, e.action, e.target, e.request_id as "requestId", e.tenant_id as "tenantId",
       t.name as "tenantName", e.payload
     from (
       select * from audit_entries e where ${MATCHES} and (e.at, e.id) < ($3, $4)
       order by e.at desc, e.id desc limit $5
     ) e join tenants t on t.id = e.tenant_id
     order by e.at desc, e.id desc`,
    [input.tenantId ?? null, input.action ?? null, new Date(after.rank), after.id, input.limit + 1],
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.at.getTime(), id: row.id }))
}

/** How many lines the search finds in all. */
export async function countAllAudit(op: Operation, input: Omit<AuditSearch, 'limit' | 'cursor'>): Promise<number> {
  const [row] = await op.db.query<{ total: number }>(`select count(*) as total from audit_entries e where ${MATCHES}`, [
    input.tenantId ?? null,
    input.action ?? null,
  ])
  return row?.total ?? 0
}
