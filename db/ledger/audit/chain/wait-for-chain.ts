import type { LedgerFields } from '../../../../core/ledger/chain/ledger.ts'
import { isUnchanged, macWaiting } from '../../../../core/ledger/chain/waiting-entry.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { canonicalJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Database, SqlRunner } from '../../../kernel/database.ts'
import { auditKeys, readAuditKeys, type AuditKeys } from '../audit-key.ts'

/** An entry before it has a place in its tenant's chain. */
export interface WaitingEntry {
  readonly id: string
  readonly tenantId: string
  readonly at: Date
  readonly actor: string
  readonly action: string
  readonly target: string | null
  readonly requestId: string
  readonly payload: JsonObject
}

/** A waiting entry that was taken to be chained. */
export interface TakenEntry extends WaitingEntry {
  /** False when its row is not as it was written. */
  readonly isUnchanged: boolean
}

/** The columns of an entry that do not depend on its place, under the names that its MACs cover. */
export function fieldsOf(entry: WaitingEntry): LedgerFields {
  return {
    id: entry.id,
    tenant_id: entry.tenantId,
    at: entry.at.toISOString(),
    actor: entry.actor,
    action: entry.action,
    target: entry.target,
    request_id: entry.requestId,
    payload: entry.payload,
  }
}

/** Writes an entry, with a MAC over all of it, where it waits for its place. Takes no lock. */
export async function insertWaiting(sql: SqlRunner, db: Database, entry: WaitingEntry): Promise<void> {
  const { current } = await auditKeys(db, sql)
  await sql.query(
    `insert into audit_pending (id, tenant_id, at, actor, action, target, request_id, payload, key_id, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      entry.id,
      entry.tenantId,
      entry.at,
      entry.actor,
      entry.action,
      entry.target,
      entry.requestId,
      canonicalJson(entry.payload),
      current.keyId,
      macWaiting(fieldsOf(entry), current),
    ],
  )
}

type WaitingRow = Omit<WaitingEntry, 'tenantId'> & { readonly keyId: string; readonly mac: string }

const COLUMNS = 'id, at, actor, action, target, request_id as "requestId", payload, key_id as "keyId", mac'

/**
 * Takes the oldest waiting entries of a tenant out of their table, at most `limit`. The caller holds the tenant's head,
 * so that nobody takes the next ones before these have their place.
 */
export async function takeWaiting(
  sql: SqlRunner,
  db: Database,
  input: { readonly tenantId: string; readonly limit: number },
): Promise<readonly TakenEntry[]> {
  const rows = await sql.query<WaitingRow & { readonly isIdTaken: boolean }>(
    `with taken as (
       delete from audit_pending where id in
         (select id from audit_pending where tenant_id = $1 order by position limit $2)
       returning *)
     select ${COLUMNS}, exists (select 1 from audit_entries where audit_entries.id = taken.id) as "isIdTaken"
     from taken order by position`,
    [input.tenantId, input.limit],
  )
  let keys = await auditKeys(db, sql)
  if (rows.some(({ keyId }) => !keys.all.has(keyId))) keys = await readAuditKeys(db, sql)
  return rows.map(({ isIdTaken, ...row }) => {
    const entry = entryOf(row, input.tenantId, keys.all)
    // Another entry has its id: it was changed, and takes its place under a new one.
    return isIdTaken ? { ...entry, id: newId('aud'), isUnchanged: false } : entry
  })
}

/** The waiting entries of a tenant that tell of an action, those only that are as they were written. */
export async function findWaiting(
  sql: SqlRunner,
  keys: AuditKeys['all'],
  { tenantId, action }: { readonly tenantId: string; readonly action: string },
): Promise<readonly WaitingEntry[]> {
  const rows = await sql.query<WaitingRow>(
    `select ${COLUMNS} from audit_pending where tenant_id = $1 and action = $2`,
    [tenantId, action],
  )
  return rows.map((row) => entryOf(row, tenantId, keys)).filter(({ isUnchanged }) => isUnchanged)
}

function entryOf({ keyId, mac, ...columns }: WaitingRow, tenantId: string, keys: AuditKeys['all']): TakenEntry {
  const entry = { ...columns, tenantId, payload: chainable(columns.payload) }
  const key = keys.get(keyId)
  const unchanged = key !== undefined && isUnchanged(fieldsOf(entry), { key_id: keyId, mac }, key.secret)
  return { ...entry, isUnchanged: unchanged }
}

/** A payload that was changed into what has no canonical form must not hold up the entries behind it. */
function chainable(payload: JsonObject): JsonObject {
  try {
    canonicalJson(payload)
    return payload
  } catch {
    return { unreadable: JSON.stringify(payload) }
  }
}
