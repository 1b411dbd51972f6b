import { DEFAULT_LIMITS } from '../../../core/limits.ts'
import { createVersion, type VersionRef } from '../../../db/learn/datasets/create-version.ts'
import type { Operation } from '../../../db/kernel/operation.ts'
import { sendSql } from './send-sql.ts'

/** A dataset of the captures of a namespace, whose first version waits to be built. */
export async function givenDataset(op: Operation, namespace: string): Promise<VersionRef> {
  return await createVersion(op, {
    of: { namespace, name: 'given' },
    source: { kind: 'captures', captures: { statuses: ['pending'], ids: null, most: 100 }, removed: [] },
    split: { train_ratio: 0.8, min_train: 0, min_holdout: 0, seed: null, is_strict: false },
    files: [],
    limits: DEFAULT_LIMITS,
    idempotency: undefined,
  })
}

/** A row in each table of datasets. */
export async function givenDatasetRows(op: Operation, namespace: string): Promise<void> {
  const { datasetId } = await givenDataset(op, namespace)
  await sendSql(
    op.db,
    `with file as (insert into dataset_files (dataset_id, version, place, tenant_id, namespace, name, is_workspace)
       values ($1, 1, 0, $2, $3, 'rows.jsonl', true))
     insert into dataset_captures (dataset_id, capture_id, tenant_id, namespace, row_hash) values ($1, 'cap_0', $2, $3, '\\x00')`,
    [datasetId, op.tenantId, namespace],
  )
}
