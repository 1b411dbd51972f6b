import { sql } from 'kysely'
import { appendDoubtful, appendEntry, type ChainHead } from '../../../../core/ledger/chain/ledger.ts'
import { listText, type ListText, type ListValue } from '../../../../core/kernel/json/list-text.ts'
import { canonicalJson } from '../../../../core/kernel/json/json.ts'
import { compiled } from '../../../kernel/queries/compiled.ts'
import { unnest, writtenList } from '../../../kernel/queries/typed.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import type { AuditKeys } from '../audit-key.ts'
import { fieldsOf, type TakenEntry } from './wait-for-chain.ts'

/** Entries as columns of equal length, in the order of their numbers, and the ends of the chain. */
interface Columns {
  readonly tenantId: string
  readonly keyId: string
  readonly last: number
  readonly lastHash: string
  readonly previousHash: string
  readonly seq: ListText<number>
  readonly id: ListText<string>
  readonly at: ListText<Date>
  readonly actor: ListText<string>
  readonly action: ListText<string>
  readonly target: ListText<string | null>
  readonly requestId: ListText<string>
  readonly payload: ListText<string>
  readonly hash: ListText<string>
}

const insertEntries = compiled((q, columns: Columns) =>
  q
    .with('head', (of) =>
      of
        .updateTable('audit_heads')
        .set({ seq: columns.last, hash: columns.lastHash })
        .where('tenant_id', '=', columns.tenantId),
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
    .expression((of) =>
      of
        .selectFrom(
          unnest('entry', {
            seq: writtenList('bigint', columns.seq),
            id: writtenList('text', columns.id),
            at: writtenList('timestamptz', columns.at),
            actor: writtenList('text', columns.actor),
            action: writtenList('text', columns.action),
            target: writtenList('text', columns.target),
            request_id: writtenList('text', columns.requestId),
            payload: writtenList('json', columns.payload),
            hash: writtenList('text', columns.hash),
          }),
        )
        .select((entry) => [
          entry.val(columns.tenantId).as('tenant_id'),
          'seq',
          'id',
          'at',
          'actor',
          'action',
          'target',
          'request_id',
          'payload',
          entry.val(columns.keyId).as('key_id'),
          sql<string>`coalesce(lag(hash) over (order by seq), ${columns.previousHash})`.as('prev_hash'),
          'hash',
        ]),
    ),
)

/**
 * Chains entries to the end of a tenant's ledger, in their order and in one statement, and returns the new head. The
 * caller holds the lock of the head, at `from`. The statement is posted: the commit throws its failure.
 */
export function insertChained(
  tx: Transaction,
  keys: AuditKeys,
  input: { readonly tenantId: string; readonly from: ChainHead; readonly entries: readonly TakenEntry[] },
): ChainHead {
  const { tenantId, from } = input
  const chained: (TakenEntry & ChainHead)[] = []
  let head = from
  for (const entry of input.entries) {
    const append = entry.isUnchanged ? appendEntry : appendDoubtful
    const { seq, event_hash } = append(head, fieldsOf(entry), keys.current)
    head = { seq, event_hash }
    chained.push({ ...entry, ...head })
  }
  const column = <T extends ListValue>(of: (entry: TakenEntry & ChainHead) => T) => listText(chained.map(of))
  tx.post(
    insertEntries({
      tenantId,
      keyId: keys.current.keyId,
      last: head.seq,
      lastHash: head.event_hash,
      previousHash: from.event_hash,
      seq: column(({ seq }) => seq),
      id: column(({ id }) => id),
      at: column(({ at }) => at),
      actor: column(({ actor }) => actor),
      action: column(({ action }) => action),
      target: column(({ target }) => target),
      requestId: column(({ requestId }) => requestId),
      payload: column(({ payload }) => canonicalJson(payload)),
      hash: column(({ event_hash }) => event_hash),
    }),
  )
  return head
}
