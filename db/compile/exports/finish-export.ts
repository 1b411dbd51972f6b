import type { ErrorCode } from '../../../core/kernel/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { recordAudit, type NewAuditEntry } from '../../ledger/audit/record-audit.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'
import { withdrawStart } from '../../kernel/outbox/outbox.ts'
import { inTransaction, type Transaction } from '../../kernel/transaction.ts'
import type { ExportState } from './export-job.ts'

/** The file that an export has made. */
export interface ExportResult {
  readonly sha256: Sha256
  readonly sizeBytes: number
  readonly fileName: string
  readonly mediaType: string
}

/** Notes that work on an export has begun. False when it is over: then there is nothing to do. */
export async function beginExport(
  db: SqlRunner,
  input: { readonly exportId: string; readonly now: Date },
): Promise<boolean> {
  const begun = await db.query(
    `update exports set state = 'running', started_at = coalesce(started_at, $2)
     where id = $1 and finished_at is null returning 1`,
    [input.exportId, input.now],
  )
  return begun.length === 1
}

/** Ends an export with its file, which is kept for `keptDays`. A no-op for one that is over. */
export async function succeedExport(
  op: Operation,
  input: { readonly exportId: string; readonly result: ExportResult; readonly keptDays: number },
): Promise<void> {
  const { exportId, result } = input
  await conclude(op, exportId, 'succeeded', async (tx, now) => {
    await tx.query(
      `update exports set result_sha256 = $2, result_hash = $2, size_bytes = $3, file_name = $4, media_type = $5,
         expires_at = $6
       where id = $1`,
      [
        exportId,
        result.sha256,
        result.sizeBytes,
        result.fileName,
        result.mediaType,
        new Date(now.getTime() + input.keptDays * 86_400_000),
      ],
    )
    return {
      action: 'export.succeeded',
      target: exportId,
      payload: { export_id: exportId, sha256: result.sha256, size_bytes: result.sizeBytes },
    }
  })
}

/** Ends an export that could not be made. A no-op for one that is over. */
export async function failExport(
  op: Operation,
  input: { readonly exportId: string; readonly errorCode: ErrorCode; readonly errorMessage: string },
): Promise<void> {
  const { exportId, errorCode, errorMessage } = input
  await conclude(op, exportId, 'failed', async (tx) => {
    await tx.query('update exports set error_code = $2, error_message = $3 where id = $1', [
      exportId,
      errorCode,
      errorMessage,
    ])
    return { action: 'export.failed', target: exportId, payload: { export_id: exportId, error: errorCode } }
  })
}

/** Ends an export once: what comes second changes nothing. */
async function conclude(
  op: Operation,
  exportId: string,
  state: Extract<ExportState, 'succeeded' | 'failed'>,
  change: (tx: Transaction, now: Date) => Promise<NewAuditEntry>,
): Promise<void> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    const now = op.now()
    const ended = await tx.query(
      `update exports set state = $3, finished_at = $4, started_at = coalesce(started_at, $4)
       where id = $1 and tenant_id = $2 and finished_at is null returning 1`,
      [exportId, op.tenantId, state, now],
    )
    if (ended.length === 0) return
    await withdrawStart(tx, exportId)
    await recordAudit(tx, op, await change(tx, now))
  })
}
