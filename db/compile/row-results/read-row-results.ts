import { COMPILE_SOURCE, type RowResultRecord } from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Returns the recorded results of an artifact's rows, in the order of its evaluation; empty where none are recorded. */
export async function readRowResults(op: Operation, artifactId: string): Promise<readonly RowResultRecord[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('row_results')
      .select([
        'row_id as rowId',
        'place',
        'fold',
        'result',
        'is_right as right',
        'confidence',
        'category',
        'is_unlike as unlike',
        'failed_checks as failedChecks',
        'row_hash as rowHash',
        'got_hash as gotHash',
      ])
      .where('tenant_id', '=', op.tenantId)
      .where('artifact_id', '=', artifactId)
      .where('source', '=', COMPILE_SOURCE)
      .orderBy('place'),
  )
  return rows.map(({ rowHash, gotHash, ...row }) => ({ ...row, rowHash: hashOf(rowHash), gotHash: hashOf(gotHash) }))
}

function hashOf(bytes: Uint8Array): Sha256 {
  return `sha256:${Buffer.from(bytes).toString('hex')}`
}
