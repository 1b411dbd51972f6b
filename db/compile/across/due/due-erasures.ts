import type { Database } from '../../../kernel/database.ts'
import { service } from '../../../kernel/queries/service.ts'

/** A job that holds examples of forgotten captures. */
export interface DueErasure {
  readonly jobId: string
  readonly tenantId: string
}

/** Returns jobs that hold examples of captures which were forgotten. */
export async function dueErasures(db: Database, limit: number): Promise<readonly DueErasure[]> {
  return await service.read(db, 'forgotten captures are erased from the jobs of all tenants', (q) =>
    q
      .selectFrom('compile_captures')
      .select(['job_id as jobId', 'tenant_id as tenantId'])
      .distinct()
      .where('forgotten_at', 'is not', null)
      .where('erased_at', 'is', null)
      .limit(limit),
  )
}
