import { sql } from 'kysely'
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

/**
 * Gives all corpora that have half of the smaller one's rows in common with a corpus its lineage: that of the oldest. Returns
 * whether one of them was revealed.
 */
export async function joinLineage(
  tx: Transaction,
  { tenantId }: Operation,
  { id, rowCount }: { readonly id: string; readonly rowCount: number },
): Promise<{ readonly isRevealed: boolean }> {
  const alike = await tx.q
    .selectFrom('holdout_rows as own')
    .innerJoin('holdout_rows as other', (on) =>
      on.onRef('other.row_key', '=', 'own.row_key').onRef('other.tenant_id', '=', 'own.tenant_id'),
    )
    .innerJoin('holdout_corpora as c', 'c.id', 'other.corpus_id')
    .select(['c.lineage_id as lineageId', 'c.revealed_at as revealedAt'])
    .where('own.corpus_id', '=', id)
    .where('own.tenant_id', '=', tenantId)
    .where('other.corpus_id', '<>', id)
    .groupBy(['c.id', 'c.lineage_id', 'c.row_count', 'c.created_at', 'c.revealed_at'])
    .having(sql<boolean>`2 * count(*) >= least(c.row_count, ${rowCount})`)
    .orderBy('c.created_at')
    .orderBy('c.id')
    .execute()
  const [first] = alike
  if (first === undefined) return { isRevealed: false }
  await tx.q
    .updateTable('holdout_corpora')
    .set({ lineage_id: first.lineageId })
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`lineage_id = any(${[id, ...alike.map(({ lineageId }) => lineageId)]}::text[])`)
    .execute()
  return { isRevealed: alike.some(({ revealedAt }) => revealedAt !== null) }
}
