import { sql } from 'kysely'
import { LEARN_ERRORS } from '../../../core/learn/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction } from '../../kernel/transaction.ts'
import { findDataset } from './find-dataset.ts'

/** Deletes a dataset with its versions; their bytes follow within minutes. Throws `not_found` and `dataset_building`. */
export async function deleteDataset(op: Operation, datasetId: string): Promise<void> {
  await findDataset(op, datasetId)
  await op.write(async (tx) => {
    await lockInTransaction(tx, `datasets ${op.tenantId}`)
    const versions = await tx.q
      .selectFrom('dataset_versions')
      .select(['version', 'finished_at as finishedAt'])
      .select(['rows_sha256 as rows', 'index_sha256 as index', 'held_sha256 as held'])
      .where('dataset_id', '=', datasetId)
      .where('tenant_id', '=', op.tenantId)
      .execute()
    const open = versions.find(({ finishedAt }) => finishedAt === null)
    if (open !== undefined) {
      throw LEARN_ERRORS.dataset_building(`version ${open.version} of the dataset is being built; wait for its end`)
    }
    const deleted = await tx.q
      .deleteFrom('datasets')
      .where('id', '=', datasetId)
      .where('tenant_id', '=', op.tenantId)
      .returning('id')
      .execute()
    if (deleted.length === 0) return
    const unused = versions.flatMap(({ rows, index, held }) => [rows, index, held].filter((each) => each !== null))
    await tx.q
      .updateTable('blobs')
      .set({ review_at: sql<Date>`now()` })
      .where(sql<boolean>`sha256 = any(${unused}::text[])`)
      .execute()
    await recordAudit(tx, op, { action: 'dataset.deleted', target: datasetId, payload: { dataset_id: datasetId } })
  })
}
