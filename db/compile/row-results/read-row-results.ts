import {
  COMPILE_SOURCE,
  type ResultSource,
  type RowResultRecord,
} from '../../../core/compile/artifacts/diagnosis/row-result.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import type { Operation } from '../../kernel/operation.ts'

/**
 * Returns the recorded results of an artifact's rows, in the order of the evaluation: those that it was signed with, or those
 * of an evaluation. Empty where none are recorded.
 */
export async function readRowResults(
  op: Operation,
  artifactId: string,
  source: ResultSource,
): Promise<readonly RowResultRecord[]> {
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
      .where('source', '=', source.kind === 'compile' ? COMPILE_SOURCE : source.id)
      .orderBy('place'),
  )
  return rows.map(({ rowHash, gotHash, ...row }) => ({ ...row, rowHash: hashOf(rowHash), gotHash: hashOf(gotHash) }))
}

function hashOf(bytes: Uint8Array): Sha256 {
  return `sha256:${Buffer.from(bytes).toString('hex')}`
}
