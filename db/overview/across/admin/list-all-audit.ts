import { sql, type RawBuilder } from 'kysely'
import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Operation } from '../../../kernel/operation.ts'
import { service } from '../../../kernel/queries/service.ts'
import { pageOf, placeOf, type Page, type PageRequest } from '../../../kernel/tables/page.ts'

/** A line of any tenant's ledger. */
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

/** Filter for lines. */
export interface AuditSearch extends PageRequest {
  readonly tenantId?: string | undefined
  readonly action?: string | undefined
}

const WHY = 'operators read all ledgers'

/** Lists the ledgers of all tenants, newest first. Throws `invalid_cursor`. */
export async function listAllAudit(op: Operation, input: AuditSearch): Promise<Page<AuditLine>> {
  const after = placeOf(input.cursor)
  const rows = await service.read(op.db, WHY, (q) =>
    q
      .selectFrom((of) =>
        of
          .selectFrom('audit_entries')
          .selectAll()
          .where(matches(input))
          .where(sql<boolean>`(at, id) < (${new Date(after.rank)}, ${after.id})`)
          .orderBy('at', 'desc')
          .orderBy('id', 'desc')
          .limit(input.limit + 1)
          .as('e'),
      )
      .innerJoin('tenants as t', 't.id', 'e.tenant_id')
      .select([
        'e.id',
        'e.seq',
        'e.at',
        'e.actor',
        'e.action',
        'e.target',
        'e.request_id as requestId',
        'e.tenant_id as tenantId',
        't.name as tenantName',
        'e.payload',
      ])
      .orderBy('e.at', 'desc')
      .orderBy('e.id', 'desc'),
  )
  return pageOf(rows, input.limit, (row) => ({ rank: row.at.getTime(), id: row.id }))
}

/** Returns the total number of lines that match. */
export async function countAllAudit(op: Operation, input: Omit<AuditSearch, 'limit' | 'cursor'>): Promise<number> {
  const [row] = await service.read(op.db, WHY, (q) =>
    q.selectFrom('audit_entries').select(q.fn.countAll<number>().as('total')).where(matches(input)),
  )
  return row?.total ?? 0
}

function matches({ tenantId, action }: Pick<AuditSearch, 'tenantId' | 'action'>): RawBuilder<boolean> {
  const ofTenant = tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`
  const ofAction = action === undefined ? sql`true` : sql`action = ${action}`
  return sql<boolean>`${ofTenant} and ${ofAction}`
}
