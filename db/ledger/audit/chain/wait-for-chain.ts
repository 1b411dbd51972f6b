import type { LedgerFields } from '../../../../core/ledger/chain/ledger.ts'
import { isUnchanged, macWaiting } from '../../../../core/ledger/chain/waiting-entry.ts'
import { canonicalJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import { rowInsert } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { auditKeys, type AuditKeys } from '../audit-key.ts'

/** An entry before it is chained. */
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

/** A waiting entry, taken for chaining. */
export interface TakenEntry extends WaitingEntry {
  /** False when its row was changed. */
  readonly isUnchanged: boolean
}

/** Returns the columns of an entry that do not depend on its position, under the names that its MACs cover. */
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

const insertEntry = rowInsert('audit_pending', [
  'id',
  'tenant_id',
  'at',
  'actor',
  'action',
  'target',
  'request_id',
  'payload',
  'key_id',
  'mac',
])

/** Writes an entry, with a MAC over all of it, to the waiting table. Takes no lock. */
export async function insertWaiting(tx: Transaction, db: Database, entry: WaitingEntry): Promise<void> {
  const { current } = await auditKeys(db, tx)
  tx.post(
    insertEntry({
      id: entry.id,
      tenant_id: entry.tenantId,
      at: entry.at,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      request_id: entry.requestId,
      payload: canonicalJson(entry.payload),
      key_id: current.keyId,
      mac: macWaiting(fieldsOf(entry), current),
    }),
  )
}

/** A row of `audit_pending`, without its tenant. */
export type WaitingRow = Omit<WaitingEntry, 'tenantId'> & { readonly keyId: string; readonly mac: string }

/** The columns of a `WaitingRow`. */
export const WAITING_COLUMNS = [
  'id',
  'at',
  'actor',
  'action',
  'target',
  'request_id as requestId',
  'payload',
  'key_id as keyId',
  'mac',
] as const

/** The waiting entries of a tenant that tell of an action, those only that are as they were written. */
export async function findWaiting(
  from: Reader,
  keys: AuditKeys['all'],
  { tenantId, action }: { readonly tenantId: string; readonly action: string },
): Promise<readonly WaitingEntry[]> {
  const rows = await from.read((q) =>
    q
      .selectFrom('audit_pending')
      .select(WAITING_COLUMNS)
      .where('tenant_id', '=', tenantId)
      .where('action', '=', action),
  )
  return rows.map((row) => entryOf(row, tenantId, keys)).filter(({ isUnchanged }) => isUnchanged)
}

/** The entry of a row. Compares its MAC, by the key that it names. */
export function entryOf({ keyId, mac, ...columns }: WaitingRow, tenantId: string, keys: AuditKeys['all']): TakenEntry {
  const entry = { ...columns, tenantId, payload: chainable(columns.payload) }
  const key = keys.get(keyId)
  const unchanged = key !== undefined && isUnchanged(fieldsOf(entry), { key_id: keyId, mac }, key.secret)
  return { ...entry, isUnchanged: unchanged }
}

/** A payload that was changed into a form without canonical JSON must not hold up the entries behind it. */
function chainable(payload: JsonObject): JsonObject {
  try {
    canonicalJson(payload)
    return payload
  } catch {
    return { unreadable: JSON.stringify(payload) }
  }
}
