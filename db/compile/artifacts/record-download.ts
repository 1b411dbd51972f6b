import { partPayload, type DownloadedPart } from '../../ledger/audit/downloaded-part.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Writes into the tenant's ledger that an archive was handed out, whole or in part. */
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
