import { partPayload, type DownloadedPart } from '../../ledger/audit/downloaded-part.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Records a download of an archive, whole or in part, in the tenant's ledger. */
export async function recordDownload(
  op: Operation,
  input: { readonly artifactId: string; readonly part?: DownloadedPart | undefined },
): Promise<void> {
  await op.write(async (tx) => {
    await recordAudit(tx, op, {
      action: 'artifact.downloaded',
      target: input.artifactId,
      payload: partPayload(input.part),
    })
  })
}
