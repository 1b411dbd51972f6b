import { COMPILE_SOURCE, type RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import { list, unnest } from '../../kernel/queries/typed.ts'
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
  for (let from = 0; from < records.length; from += BATCH) insertSome(tx, owner, records.slice(from, from + BATCH))
}

function insertSome(
  tx: Transaction,
  { tenantId, artifactId, cid, source = COMPILE_SOURCE }: ResultOwner,
  records: readonly RowResultRecord[],
): void {
  const rows = unnest('r', {
    row_id: list(
      'text',
      records.map(({ rowId }) => rowId),
    ),
    at: list(
      'integer',
      records.map(({ place }) => place),
    ),
    fold: list(
      'integer',
      records.map(({ fold }) => fold),
    ),
    result: list(
      'text',
      records.map(({ result }) => result),
    ),
    is_right: list(
      'boolean',
      records.map(({ right }) => right),
    ),
    confidence: list(
      'double precision',
      records.map(({ confidence }) => confidence),
    ),
    category: list(
      'text',
      records.map(({ category }) => category),
    ),
    is_unlike: list(
      'boolean',
      records.map(({ unlike }) => unlike),
    ),
    failed_checks: list(
      'json',
      records.map(({ failedChecks }) => JSON.stringify(failedChecks)),
    ),
    row_hash: list(
      'bytea',
      records.map(({ rowHash }) => bytesOf(rowHash)),
    ),
    got_hash: list(
      'bytea',
      records.map(({ gotHash }) => bytesOf(gotHash)),
    ),
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

function bytesOf(hash: string): Buffer {
  return Buffer.from(hash.slice('sha256:'.length), 'hex')
}
