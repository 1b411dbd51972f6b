import { recordAudit } from '../audit/record-audit.ts'
import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'

/** Notes in the tenant's ledger that an archive was handed out. */
export async function recordDownload(op: Operation, input: { readonly artifactId: string }): Promise<void> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    await recordAudit(tx, op, { action: 'artifact.downloaded', target: input.artifactId, payload: {} })
  })
}
