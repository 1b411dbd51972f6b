import { sql } from 'kysely'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { isSameCorpus } from '../../../core/learn/holdout/same-corpus.ts'
import type { Operation } from '../../kernel/operation.ts'
import { countRows } from '../../kernel/queries/count-rows.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Gives a corpus whose keys were just made the lineage of the corpora that it repeats, deleted ones too. Where it repeats corpora
 * of several lineages, these become one, that of the oldest. Call it in all namespaces.
 */
export async function joinLineage(tx: Transaction, { tenantId }: Operation, id: string): Promise<void> {
  const common = await commonRows(tx, tenantId, id)
  const others = [...Map.groupBy(common.others, ({ lineageId }) => lineageId)].filter(
    ([lineageId]) => lineageId !== common.lineageId,
  )
  const same: string[] = []
  for (const [lineageId, ofLineage] of others) {
    const shared = await countShared(
      tx,
      tenantId,
      id,
      ofLineage.map((other) => other.id),
    )
    if (isSameCorpus({ rows: common.rows, shared, others: ofLineage })) same.push(lineageId)
  }
  if (same.length === 0) return
  const all = [common.lineageId, ...same]
  await tx.q
    .updateTable('holdout_corpora')
    .set((of) => ({
      lineage_id: of
        .selectFrom('holdout_corpora as oldest')
        .select('oldest.lineage_id')
        .where('oldest.tenant_id', '=', tenantId)
        .where(sql<boolean>`oldest.lineage_id = any(${all}::text[])`)
        .orderBy('oldest.created_at')
        .orderBy('oldest.id')
        .limit(1),
    }))
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`lineage_id = any(${all}::text[])`)
    .execute()
}

/**
 * Throws `holdout_revealed` for a corpus that was revealed, or that repeats revealed ones, deleted ones too; `field` is that of the
 * body which names its rows. Call it in all namespaces.
 */
export async function requireUnrevealed(
  tx: Transaction,
  { tenantId }: Operation,
  { id, field }: { readonly id: string; readonly field: 'rows' | 'corpus_id' },
): Promise<void> {
  const common = await commonRows(tx, tenantId, id)
  const revealed = common.others.filter(({ isRevealed }) => isRevealed)
  const shared = await countShared(
    tx,
    tenantId,
    id,
    revealed.map((other) => other.id),
  )
  if (!common.isRevealed && !isSameCorpus({ rows: common.rows, shared, others: revealed })) return
  throw LEARN_ERRORS.holdout_revealed(
    `${field}: this holdout was revealed, or at least half of its rows or of those of another one that was; seal rows that were never shown`,
  )
}

/** The number of keys of a corpus, and each other corpus that has some of them. */
async function commonRows(tx: Transaction, tenantId: string, id: string) {
  const keysOf = (column: string) =>
    countRows(tx.q.selectFrom('holdout_rows as r').where('r.corpus_id', '=', sql.ref<string>(column)))
  const [own] = await tx.q
    .selectFrom('holdout_corpora as c')
    .select(['c.lineage_id as lineageId', sql<boolean>`c.revealed_at is not null`.as('isRevealed')])
    .select(keysOf('c.id').as('rows'))
    .where('c.id', '=', id)
    .where('c.tenant_id', '=', tenantId)
    .execute()
  const others = await tx.q
    .selectFrom('holdout_rows as own')
    .innerJoin('holdout_rows as other', (on) =>
      on.onRef('other.row_key', '=', 'own.row_key').onRef('other.tenant_id', '=', 'own.tenant_id'),
    )
    .innerJoin('holdout_corpora as c', 'c.id', 'other.corpus_id')
    .select(['c.id', 'c.lineage_id as lineageId', sql<boolean>`c.revealed_at is not null`.as('isRevealed')])
    .select((of) => [keysOf('c.id').as('rows'), of.fn.countAll<number>().as('shared')])
    .where('own.corpus_id', '=', id)
    .where('own.tenant_id', '=', tenantId)
    .where('c.id', '<>', id)
    .groupBy(['c.id', 'c.lineage_id', 'c.revealed_at'])
    .execute()
  return { ...(own ?? { lineageId: id, isRevealed: false, rows: 0 }), others }
}

/** Counts the rows of a corpus that are in any of some others. */
async function countShared(tx: Transaction, tenantId: string, id: string, others: readonly string[]): Promise<number> {
  if (others.length === 0) return 0
  const [counted] = await tx.q
    .selectFrom('holdout_rows as own')
    .innerJoin('holdout_rows as other', (on) =>
      on.onRef('other.row_key', '=', 'own.row_key').onRef('other.tenant_id', '=', 'own.tenant_id'),
    )
    .select(sql<number>`count(distinct own.row_key)::integer`.as('shared'))
    .where('own.corpus_id', '=', id)
    .where('own.tenant_id', '=', tenantId)
    .where(sql<boolean>`other.corpus_id = any(${[...others]}::text[])`)
    .execute()
  return counted?.shared ?? 0
}
