import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/** Returns the tenant of a job whose run does not name it. Throws `not_found`. */
export async function tenantOfJob(db: Database, jobId: string): Promise<string> {
  const [job] = await service.read(db, 'a run of an earlier version names its job only', (q) =>
    q.selectFrom('compile_jobs').select('tenant_id').where('id', '=', jobId),
  )
  if (job === undefined) throw KERNEL_ERRORS.not_found('no such job')
  return job.tenant_id
}
