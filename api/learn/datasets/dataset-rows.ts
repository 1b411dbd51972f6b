import type { DatasetRows } from '../../../core/compile/ports.ts'
import type { Example } from '../../../core/compile/rows/intake/example.ts'
import { invalidField } from '../../../core/kernel/errors.ts'
import { pairOf } from '../../../core/learn/datasets/rows/row-content.ts'
import { findReadyVersion, type ReadyVersion } from '../../../db/learn/datasets/find-dataset.ts'
import { pendingForgets } from '../../../db/learn/datasets/forget/pending-forgets.ts'
import { streamRows } from '../../../db/learn/datasets/read-rows.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** Fills the port of compiles: the versions of datasets as examples. Rows that were forgotten are none of them. */
export const datasetRows: DatasetRows<Operation> = {
  async open(op, { datasetId, version: asked }) {
    const version = await findReadyVersion(op, datasetId, asked)
    if (version.rowType !== 'prompt_completion' && version.rowForm !== 'messages') {
      throw invalidField('dataset_id', `has rows of type ${version.rowType}, which have no output to compile`)
    }
    return {
      datasetId,
      version: version.version,
      merkleRoot: version.merkleRoot ?? '',
      namespace: version.namespace,
      examples: () => examplesOf(op, version),
    }
  },
}

async function* examplesOf(op: Operation, version: ReadyVersion): AsyncGenerator<Example> {
  const { hashes } = await pendingForgets(op, version.datasetId)
  for await (const { record, stored } of streamRows(op.db, version, hashes)) {
    const { input, output } = pairOf(stored.row)
    if (output === null) throw invalidField('dataset_id', `has the row ${stored.id} without an answer at its end`)
    const row = { id: stored.id, input, output }
    yield { kind: 'positive', row: record.isHeld ? { ...row, kind: 'test' } : row }
  }
}
