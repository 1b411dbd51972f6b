import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Records an export of a version in the tenant's ledger. */
export async function recordDatasetExport(
  op: Operation,
  { datasetId, version, format }: { readonly datasetId: string; readonly version: number; readonly format: string },
): Promise<void> {
  await op.write(async (tx) => {
    const payload = { dataset_id: datasetId, version, format }
    await recordAudit(tx, op, { action: 'dataset.exported', target: datasetId, payload })
  })
}
