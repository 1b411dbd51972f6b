import { sql } from 'kysely'
import { appendDoubtful, appendEntry, type ChainHead } from '../../../../core/ledger/chain/ledger.ts'
import { canonicalJson } from '../../../../core/kernel/json/json.ts'
import { compiled } from '../../../kernel/queries/compiled.ts'
import { list, unnest } from '../../../kernel/queries/typed.ts'
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
  readonly seq: readonly number[]
  readonly id: readonly string[]
  readonly at: readonly Date[]
  readonly actor: readonly string[]
  readonly action: readonly string[]
  readonly target: readonly (string | null)[]
  readonly requestId: readonly string[]
  readonly payload: readonly string[]
  readonly hash: readonly string[]
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
            seq: list('bigint', columns.seq),
            id: list('text', columns.id),
            at: list('timestamptz', columns.at),
            actor: list('text', columns.actor),
            action: list('text', columns.action),
            target: list('text', columns.target),
            request_id: list('text', columns.requestId),
            payload: list('json', columns.payload),
            hash: list('text', columns.hash),
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
  const column = <T>(of: (entry: TakenEntry & ChainHead) => T): T[] => chained.map(of)
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
