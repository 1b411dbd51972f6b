import { sealedRowsError } from '../../../core/compile/rows/sealed-rows-error.ts'
import type { Json } from '../../../core/kernel/json/json.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { ReadyVersion } from '../datasets/find-dataset.ts'
import { pendingForgets } from '../datasets/forget/pending-forgets.ts'
import { streamRows } from '../datasets/read-rows.ts'
import { sealedRows } from './count-sealed.ts'

/** Throws `sealed_rows` with the count when inputs are those of rows of a sealed holdout of the tenant, with whatever output. */
export async function refuseSealed(
  op: Operation,
  field: 'examples' | 'rows',
  inputs: AsyncIterable<Json>,
): Promise<void> {
  const count = await sealedRows.count(op, inputs)
  if (count > 0) throw sealedRowsError(field, count)
}

/** Throws `sealed_rows` with the count for a version whose rows were sealed after it was built. */
export async function refuseSealedVersion(op: Operation, version: ReadyVersion): Promise<void> {
  await refuseSealed(op, 'rows', inputsOf(op, version))
}

async function* inputsOf(op: Operation, version: ReadyVersion): AsyncGenerator<Json> {
  const { hashes } = await pendingForgets(op, version.datasetId)
  for await (const { stored } of streamRows(op.db, version, hashes)) yield pairOf(stored.row).input
}
