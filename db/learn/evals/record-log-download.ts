import type { Operation } from '../../kernel/operation.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'

/** Records a download of the log of an evaluation in the tenant's ledger. */
export async function recordLogDownload(
  op: Operation,
  { evaluationId, format }: { readonly evaluationId: string; readonly format: string },
): Promise<void> {
  await op.write(async (tx) => {
    await recordAudit(tx, op, { action: 'evaluation.downloaded', target: evaluationId, payload: { format } })
  })
}
