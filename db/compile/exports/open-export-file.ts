import { COMPILE_ERRORS } from '../../../core/compile/errors.ts'
import type { Sha256 } from '../../../core/kernel/json/json.ts'
import { partPayload, type DownloadedPart } from '../../ledger/audit/downloaded-part.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { ExportResult } from './finish-export.ts'
import { findArtifact } from '../artifacts/find-artifact.ts'
import { revokedError } from '../artifacts/life/revoked-error.ts'
import { findExport } from './find-export.ts'

/**
 * Opens the file of a finished export. Throws `not_found`, `not_ready` `{state}` before the file exists, and
 * `export_expired` after its time; for a failed one, `not_ready` with its error, and `artifact_revoked` once the artifact was
 * revoked.
 */
export async function openExportFile(op: Operation, exportId: string): Promise<ExportResult> {
  const { artifactId, state, errorCode, ...file } = await findExport(op, exportId)
  const { resultSha256, sizeBytes, fileName, mediaType, expiresAt } = file
  if ((await findArtifact(op, artifactId)).state === 'revoked') throw await revokedError(op, artifactId)
  if (state !== 'succeeded') {
    throw COMPILE_ERRORS.not_ready(`the export is ${state}`, { details: { state, error: errorCode ?? null } })
  }
  const isExpired = expiresAt !== null && expiresAt !== undefined && expiresAt <= op.now()
  if (isExpired || !isSha256(resultSha256) || typeof sizeBytes !== 'number' || !fileName || !mediaType) {
    throw COMPILE_ERRORS.export_expired('the file of this export was removed; start the export again')
  }
  return { sha256: resultSha256, sizeBytes, fileName, mediaType }
}

/** Records a download of an export's file, whole or in part, in the tenant's ledger. */
export async function recordExportDownload(
  op: Operation,
  input: { readonly exportId: string; readonly part?: DownloadedPart | undefined },
): Promise<void> {
  await op.write(async (tx) => {
    await recordAudit(tx, op, { action: 'export.downloaded', target: input.exportId, payload: partPayload(input.part) })
  })
}

function isSha256(text: string | null | undefined): text is Sha256 {
  return typeof text === 'string' && text.startsWith('sha256:')
}
