import type { ErrorCode } from '../../../core/compile/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { recordAudit, type NewAuditEntry } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { withdrawStart } from '../../kernel/outbox/outbox.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { ExportState } from '../../../core/compile/rows/task.ts'

/** The file that an export has made. */
export interface ExportResult {
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly fileName: string
  readonly mediaType: string
}

/** Records that work on an export has begun. Returns false when it is over: then no work is left. */
export async function beginExport(
  op: Operation,
  input: { readonly exportId: string; readonly now: Date },
): Promise<boolean> {
  return await op.write(async (tx) => {
    const begun = await tx.q
      .updateTable('exports')
      .set((of) => ({ state: 'running', started_at: of.fn.coalesce('started_at', of.val(input.now)) }))
      .where('id', '=', input.exportId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    return begun.length === 1
  })
}

/** Ends an export with its file, which is kept for `keptDays`. A no-op for a finished one. */
export async function succeedExport(
  op: Operation,
  input: { readonly exportId: string; readonly result: ExportResult; readonly keptDays: number },
): Promise<void> {
  const { exportId, result } = input
  await conclude(op, exportId, 'succeeded', async (tx, now) => {
    await tx.q
      .updateTable('exports')
      .set({
        result_sha256: result.sha256,
        result_hash: result.sha256,
        size_bytes: result.sizeBytes,
        file_name: result.fileName,
        media_type: result.mediaType,
        expires_at: new Date(now.getTime() + input.keptDays * 86_400_000),
      })
      .where('id', '=', exportId)
      .execute()
    return {
      action: 'export.succeeded',
      target: exportId,
      payload: { export_id: exportId, sha256: result.sha256, size_bytes: result.sizeBytes },
    }
  })
}

/** Fails an export. A no-op for a finished one. */
export async function failExport(
  op: Operation,
  input: { readonly exportId: string; readonly errorCode: ErrorCode; readonly errorMessage: string },
): Promise<void> {
  const { exportId, errorCode, errorMessage } = input
  await conclude(op, exportId, 'failed', async (tx) => {
    await tx.q
      .updateTable('exports')
      .set({ error_code: errorCode, error_message: errorMessage })
      .where('id', '=', exportId)
      .execute()
    return { action: 'export.failed', target: exportId, payload: { export_id: exportId, error: errorCode } }
  })
}

/** Ends an export once: a second end changes nothing. */
async function conclude(
  op: Operation,
  exportId: string,
  state: Extract<ExportState, 'succeeded' | 'failed'>,
  change: (tx: Transaction, now: Date) => Promise<NewAuditEntry>,
): Promise<void> {
  await op.write(async (tx) => {
    const now = op.now()
    const ended = await tx.q
      .updateTable('exports')
      .set((of) => ({ state, finished_at: now, started_at: of.fn.coalesce('started_at', of.val(now)) }))
      .where('id', '=', exportId)
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .returning('id')
      .execute()
    if (ended.length === 0) return
    withdrawStart(tx, exportId)
    await recordAudit(tx, op, await change(tx, now))
  })
}
