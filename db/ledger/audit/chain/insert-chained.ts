import { sql } from 'kysely'
import { appendDoubtful, appendEntry, type ChainHead } from '../../../../core/ledger/chain/ledger.ts'
import { canonicalJson } from '../../../../core/kernel/json/json.ts'
import { list, unnest, type List } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { AuditKeys } from '../audit-key.ts'
import { fieldsOf, type TakenEntry } from './wait-for-chain.ts'

/**
 * Chains entries to the end of a tenant's ledger, in their order and in one statement, and returns the new head. The
 * caller holds the lock of the head, at `from`.
 */
export async function insertChained(
  tx: Transaction,
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
  const column = <T>(type: List<T>['type'], of: (entry: TakenEntry & ChainHead) => T): List<T> =>
    list(type, chained.map(of))
  const entries = unnest('entry', {
    seq: column('bigint', (entry) => entry.seq),
    id: column('text', (entry) => entry.id),
    at: column('timestamptz', (entry) => entry.at),
    actor: column('text', (entry) => entry.actor),
    action: column('text', (entry) => entry.action),
    target: column('text', (entry) => entry.target),
    request_id: column('text', (entry) => entry.requestId),
    payload: column('json', (entry) => canonicalJson(entry.payload)),
    hash: column('text', (entry) => entry.event_hash),
  })
  await tx.q
    .with('head', (q) =>
      q.updateTable('audit_heads').set({ seq: head.seq, hash: head.event_hash }).where('tenant_id', '=', tenantId),
    )
    .insertInto('audit_entries')
    .columns([
      'tenant_id',
      'seq',
      'id',
      'at',
      'actor',
      'action',
      'target',
      'request_id',
      'payload',
      'key_id',
      'prev_hash',
      'hash',
    ])
    .expression((q) =>
      q
        .selectFrom(entries)
        .select((of) => [
          of.val(tenantId).as('tenant_id'),
          'seq',
          'id',
          'at',
          'actor',
          'action',
          'target',
          'request_id',
          'payload',
          of.val(keys.current.keyId).as('key_id'),
          sql<string>`coalesce(lag(hash) over (order by seq), ${from.event_hash})`.as('prev_hash'),
          'hash',
        ]),
    )
    .execute()
  return head
}
