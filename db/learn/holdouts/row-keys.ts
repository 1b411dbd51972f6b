import { ROW_KEY_BYTES } from '../../../core/learn/holdout/row-key.ts'
import type { Operation } from '../../kernel/operation.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Rows of one statement. */
const BATCH = 5000

/** The keys of the rows of a corpus, one after the other. */
export interface CorpusKeys {
  readonly corpusId: string
  readonly keys: Uint8Array
  readonly isSealed: boolean
}

/** Stores the keys of the rows of a corpus. */
export async function insertKeys(
  tx: Transaction,
  { tenantId }: Operation,
  { corpusId, keys, isSealed }: CorpusKeys,
): Promise<void> {
  const all = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength)
  for (let from = 0; from < all.length; from += BATCH * ROW_KEY_BYTES) {
    const some = all.subarray(from, from + BATCH * ROW_KEY_BYTES)
    const rows = unnest('r', { row_key: list('bytea', keysOf(some)) })
    await tx.q
      .insertInto('holdout_rows')
      .columns(['corpus_id', 'tenant_id', 'is_sealed', 'row_key'])
      .expression((q) =>
        q
          .selectFrom(rows)
          .select((of) => [
            of.val(corpusId).as('corpus_id'),
            of.val(tenantId).as('tenant_id'),
            of.val(isSealed).as('is_sealed'),
            'row_key',
          ]),
      )
      .execute()
  }
}

function keysOf(keys: Buffer): readonly Buffer[] {
  return Array.from({ length: keys.length / ROW_KEY_BYTES }, (_, at) =>
    keys.subarray(at * ROW_KEY_BYTES, (at + 1) * ROW_KEY_BYTES),
  )
}
