import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Operation } from '../../../kernel/operation.ts'

/** Writes a line about exported captures into the ledger. */
export async function recordExport(
  op: Operation,
  facts: {
    readonly count: number
    readonly digest: string
    readonly format: string
    readonly namespace: string | null
  },
): Promise<void> {
  await op.write(async (tx) => await recordAudit(tx, op, { action: 'capture.exported', payload: { ...facts } }))
}
