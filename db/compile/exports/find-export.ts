import { DomainError } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { fieldInBounds } from '../../kernel/namespaces/bounds.ts'
import type { Operation } from '../../kernel/operation.ts'
import { forkForTenant } from '../../kernel/tables/tenant-filter.ts'
import { ExportJobEntity, type ExportJob } from './export-job.ts'

/** One export of the tenant. Throws `not_found`, also for another tenant's. */
export async function findExport(op: Operation, exportId: string): Promise<ExportJob> {
  const found = await forkForTenant(op.db, op.tenantId).findOne(ExportJobEntity, {
    $and: [{ id: exportId }, fieldInBounds(op, 'artifactId')],
  })
  if (found === null) throw new DomainError('not_found', 'no such export')
  return found
}

/** One export of whatever tenant, for the activities that work on it. Throws `not_found`. */
export async function findExportForWork(db: Database, exportId: string): Promise<ExportJob> {
  const found = await db.fork().findOne(ExportJobEntity, { id: exportId }, { filters: false })
  if (found === null) throw new DomainError('not_found', 'no such export')
  return found
}
