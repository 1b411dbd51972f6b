import type { Operation } from '../../../kernel/operation.ts'
import type { Reader } from '../../../kernel/queries/read.ts'

/** Rows of a dataset that were forgotten and are not erased yet. */
export interface PendingForgets {
  /** Hashes of the rows, hexadecimal. */
  readonly hashes: ReadonlySet<string>
  /** Ids of the captures. */
  readonly captures: ReadonlySet<string>
}

/** Returns the rows whose captures were forgotten and that are not erased from the versions yet: no answer shows them. */
export async function pendingForgets(op: Operation, datasetId: string): Promise<PendingForgets> {
  const rows = await op.read((q) =>
    q
      .selectFrom('dataset_captures')
      .select(['capture_id as capture', 'row_hash as hash'])
      .where('dataset_id', '=', datasetId)
      .where('tenant_id', '=', op.tenantId)
      .where('forgotten_at', 'is not', null)
      .where('erased_at', 'is', null),
  )
  return {
    hashes: new Set(rows.map(({ hash }) => Buffer.from(hash).toString('hex'))),
    captures: new Set(rows.map(({ capture }) => capture)),
  }
}

/** Returns how many captures of a dataset were ever forgotten. */
export async function countForgotten(from: Reader, tenantId: string, datasetId: string): Promise<number> {
  const [row] = await from.read((q) =>
    q
      .selectFrom('dataset_captures')
      .select(q.fn.countAll<number>().as('count'))
      .where('dataset_id', '=', datasetId)
      .where('tenant_id', '=', tenantId)
      .where('forgotten_at', 'is not', null),
  )
  return row?.count ?? 0
}
