import { sql } from 'kysely'
import type { LedgerFields } from '../../../../core/ledger/chain/ledger.ts'
import { isUnchanged, macWaiting } from '../../../../core/ledger/chain/waiting-entry.ts'
import { newId } from '../../../../core/kernel/ids.ts'
import { canonicalJson, type JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Database } from '../../../kernel/database.ts'
import type { Reader } from '../../../kernel/queries/read.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { auditKeys, readAuditKeys, type AuditKeys } from '../audit-key.ts'

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

/** Writes an entry, with a MAC over all of it, to the waiting table. Takes no lock. */
export async function insertWaiting(tx: Transaction, db: Database, entry: WaitingEntry): Promise<void> {
  const { current } = await auditKeys(db, tx)
  await tx.q
    .insertInto('audit_pending')
    .values({
      id: entry.id,
      tenant_id: entry.tenantId,
      at: entry.at,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      request_id: entry.requestId,
      payload: sql<JsonObject>`${canonicalJson(entry.payload)}`,
      key_id: current.keyId,
      mac: macWaiting(fieldsOf(entry), current),
    })
    .execute()
}

type WaitingRow = Omit<WaitingEntry, 'tenantId'> & { readonly keyId: string; readonly mac: string }

const COLUMNS = [
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

/**
 * Takes the oldest waiting entries of a tenant out of their table, at most `limit`. The caller holds the tenant's head,
 * so that no transaction takes the next ones before these are chained.
 */
export async function takeWaiting(
  tx: Transaction,
  db: Database,
  input: { readonly tenantId: string; readonly limit: number },
): Promise<readonly TakenEntry[]> {
  const rows = await tx.q
    .with('taken', (q) =>
      q
        .deleteFrom('audit_pending')
        .where('id', 'in', (of) =>
          of
            .selectFrom('audit_pending')
            .select('id')
            .where('tenant_id', '=', input.tenantId)
            .orderBy('position')
            .limit(input.limit),
        )
        .returningAll(),
    )
    .selectFrom('taken')
    .select(COLUMNS)
    .select((of) =>
      of
        .exists(of.selectFrom('audit_entries').select('id').whereRef('audit_entries.id', '=', 'taken.id'))
        .as('isIdTaken'),
    )
    .orderBy('position')
    .execute()
  let keys = await auditKeys(db, tx)
  if (rows.some(({ keyId }) => !keys.all.has(keyId))) keys = await readAuditKeys(db, tx)
  return rows.map(({ isIdTaken, ...row }) => {
    const entry = entryOf(row, input.tenantId, keys.all)
    // Another entry has its id: it was changed, and is chained under a new one.
    return isIdTaken ? { ...entry, id: newId('aud'), isUnchanged: false } : entry
  })
}

/** Returns the waiting entries of a tenant with an action, only unchanged ones. */
export async function findWaiting(
  from: Reader,
  keys: AuditKeys['all'],
  { tenantId, action }: { readonly tenantId: string; readonly action: string },
): Promise<readonly WaitingEntry[]> {
  const rows = await from.read((q) =>
    q.selectFrom('audit_pending').select(COLUMNS).where('tenant_id', '=', tenantId).where('action', '=', action),
  )
  return rows.map((row) => entryOf(row, tenantId, keys)).filter(({ isUnchanged }) => isUnchanged)
}

function entryOf({ keyId, mac, ...columns }: WaitingRow, tenantId: string, keys: AuditKeys['all']): TakenEntry {
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
