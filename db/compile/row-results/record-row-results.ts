import { packResults, type PackedResults } from '../../../core/compile/artifacts/diagnosis/packed-results.ts'
import { COMPILE_SOURCE, type RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
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
  const rows = unnest('r', {
    row_id: writtenList('text', packed.rowIds),
    at: writtenList('integer', packed.places),
    fold: writtenList('integer', packed.folds),
    result: writtenList('text', packed.results),
    is_right: writtenList('boolean', packed.areRight),
    confidence: writtenList('double precision', packed.confidences),
    category: writtenList('text', packed.categories),
    is_unlike: writtenList('boolean', packed.areUnlike),
    failed_checks: writtenList('json', packed.failedChecks),
    row_hash: writtenList('bytea', packed.rowHashes),
    got_hash: writtenList('bytea', packed.gotHashes),
  })
  tx.post(
    tx.q
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
      .expression((q) =>
        q
          .selectFrom(rows)
          .select((of) => [
            of.val(artifactId).as('artifact_id'),
            of.val(source).as('source'),
            of.val(tenantId).as('tenant_id'),
            of.val(cid).as('cid'),
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
}
