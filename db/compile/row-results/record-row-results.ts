import { sql } from 'kysely'
import { packResults, type PackedResults } from '../../../core/compile/artifacts/diagnosis/packed-results.ts'
import { COMPILE_SOURCE, type RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import { prepared } from '../../kernel/queries/compiled.ts'
import { unnest, writtenList } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** The artifact whose results are recorded. */
export interface ResultOwner {
  readonly tenantId: string
  readonly artifactId: string
  readonly cid: string
  /** The evaluation that the results are of; the compile when absent. */
  readonly source?: string
}

/** Rows of one statement. */
const BATCH = 5000

/** Records the results of an artifact's rows. Rows that are recorded already stay as they are. */
export function recordRowResults(tx: Transaction, owner: ResultOwner, records: readonly RowResultRecord[]): void {
  for (let from = 0; from < records.length; from += BATCH) {
    recordPackedResults(tx, owner, packResults(records.slice(from, from + BATCH)))
  }
}

/** The same for results that a thread has packed. */
export function recordPackedResults(
  tx: Transaction,
  { tenantId, artifactId, cid, source = COMPILE_SOURCE }: ResultOwner,
  packed: PackedResults,
): void {
  tx.post(insertResults({ tenantId, artifactId, cid, source, ...packed }))
}

const insertResults = prepared((q, rows: Required<ResultOwner> & PackedResults) =>
  q
    .insertInto('row_results')
    .columns([
      'artifact_id',
      'source',
      'tenant_id',
      'cid',
      'row_id',
      'place',
      'fold',
      'result',
      'is_right',
      'confidence',
      'category',
      'is_unlike',
      'failed_checks',
      'row_hash',
      'got_hash',
    ])
    .expression((of) =>
      of
        .selectFrom(
          unnest('r', {
            row_id: writtenList('text', rows.rowIds),
            at: writtenList('integer', rows.places),
            fold: writtenList('integer', rows.folds),
            result: writtenList('text', rows.results),
            is_right: writtenList('boolean', rows.areRight),
            confidence: writtenList('double precision', rows.confidences),
            category: writtenList('text', rows.categories),
            is_unlike: writtenList('boolean', rows.areUnlike),
            failed_checks: writtenList('json', rows.failedChecks),
            row_hash: writtenList('bytea', rows.rowHashes),
            got_hash: writtenList('bytea', rows.gotHashes),
          }),
        )
        .select([
          sql<string>`${rows.artifactId}::text`.as('artifact_id'),
          sql<string>`${rows.source}::text`.as('source'),
          sql<string>`${rows.tenantId}::text`.as('tenant_id'),
          sql<string>`${rows.cid}::text`.as('cid'),
          'row_id',
          'at as place',
          'fold',
          'result',
          'is_right',
          'confidence',
          'category',
          'is_unlike',
          'failed_checks',
          'row_hash',
          'got_hash',
        ]),
    )
    .onConflict((on) => on.columns(['artifact_id', 'source', 'row_id']).doNothing()),
)
