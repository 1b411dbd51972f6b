import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { ExportJob } from './export-job.ts'

/** All columns of an export, by the names of its properties. */
export const EXPORT = [
  'id',
  'tenant_id as tenantId',
  'artifact_id as artifactId',
  'target',
  'quant',
  'part',
  'destination',
  'state',
  'error_code as errorCode',
  'error_message as errorMessage',
  'result_sha256 as resultSha256',
  'result_hash as resultHash',
  'size_bytes as sizeBytes',
  'file_name as fileName',
  'media_type as mediaType',
  'created_at as createdAt',
  'started_at as startedAt',
  'finished_at as finishedAt',
  'expires_at as expiresAt',
] as const

/** Returns one export of the tenant. Throws `not_found`, also for another tenant's. */
export async function findExport(op: Operation, exportId: string): Promise<ExportJob> {
  const [found] = await op.read((q) =>
    q.selectFrom('exports').select(EXPORT).where('id', '=', exportId).where('tenant_id', '=', op.tenantId),
  )
  if (found === undefined) throw KERNEL_ERRORS.not_found('no such export')
  return found
}
