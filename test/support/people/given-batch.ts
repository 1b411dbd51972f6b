import { createBatch } from '../../../db/compile/batches/open-batch.ts'
import type { Operation } from '../../../db/kernel/operation.ts'

/** A batch of a version that nothing is settled of. Returns its id. */
export async function givenBatch(
  op: Operation,
  version: { readonly conceptId: string; readonly versionId: string },
): Promise<string> {
  const { id } = await createBatch(op, {
    ...version,
    key: null,
    inputHash: 'sha256:0',
    requestHash: 'sha256:0',
    format: 'jsonl',
    receipts: 'batch',
    rows: 1,
  })
  return id
}
