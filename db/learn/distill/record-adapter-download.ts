import type { Operation } from '../../kernel/operation.ts'
import { partPayload, type DownloadedPart } from '../../ledger/audit/downloaded-part.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'

/** Records a download of a run's adapter, whole or in part, in the tenant's ledger. */
export async function recordAdapterDownload(
  op: Operation,
  input: { readonly runId: string; readonly part?: DownloadedPart | undefined },
): Promise<void> {
  await op.write(async (tx) => {
    await recordAudit(tx, op, { action: 'distill.downloaded', target: input.runId, payload: partPayload(input.part) })
  })
}
