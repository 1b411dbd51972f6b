import { appendDoubtful, appendEntry, type ChainHead } from '../../../../core/ledger/chain/ledger.ts'
import { canonicalJson } from '../../../../core/kernel/json/json.ts'
import type { SqlRunner } from '../../../kernel/database.ts'
import type { AuditKeys } from '../audit-key.ts'
import { fieldsOf, type TakenEntry } from './wait-for-chain.ts'

/**
 * Chains entries to the end of a tenant's ledger, in their order and in one statement, and answers where it ends then.
 * The caller holds the lock of the head, at `from`.
 */
export async function insertChained(
  sql: SqlRunner,
  keys: AuditKeys,
  input: { readonly tenantId: string; readonly from: ChainHead; readonly entries: readonly TakenEntry[] },
): Promise<ChainHead> {
  const { tenantId, from } = input
  const chained: (TakenEntry & ChainHead)[] = []
  let head = from
  for (const entry of input.entries) {
    const append = entry.isUnchanged ? appendEntry : appendDoubtful
    const { seq, event_hash } = append(head, fieldsOf(entry), keys.current)
    head = { seq, event_hash }
    chained.push({ ...entry, ...head })
  }
  const column = <T>(of: (entry: TakenEntry & ChainHead) => T): T[] => chained.map(of)
  await sql.query(
    `with head as (update audit_heads set seq = $2, hash = $3 where tenant_id = $1)
     insert into audit_entries
       (tenant_id, seq, id, at, actor, action, target, request_id, payload, key_id, prev_hash, hash)
     select $1, seq, id, at, actor, action, target, request_id, payload, $4,
       coalesce(lag(hash) over (order by seq), $5), hash
     from unnest($6::bigint[], $7::text[], $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::text[],
                 $13::json[], $14::text[])
       as entry (seq, id, at, actor, action, target, request_id, payload, hash)`,
    [
      tenantId,
      head.seq,
      head.event_hash,
      keys.current.keyId,
      from.event_hash,
      column((entry) => entry.seq),
      column((entry) => entry.id),
      column((entry) => entry.at),
      column((entry) => entry.actor),
      column((entry) => entry.action),
      column((entry) => entry.target),
      column((entry) => entry.requestId),
      column((entry) => canonicalJson(entry.payload)),
      column((entry) => entry.event_hash),
    ],
  )
  return head
}
