import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { CloudDistill } from '../../../core/learn/workflows.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads cloud jobs that were submitted before `openSince`, wait and have no request in the outbox, by id: each must have a
 * run. `afterKey` continues a list.
 */
export async function listOpenCloudJobs(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof CloudDistill>[]> {
  return await service.read(db, 'reconciles the cloud jobs of all tenants', (q) =>
    q
      .selectFrom('cloud_jobs as c')
      .select(['c.id as cloudJobId', 'c.tenant_id as tenantId', 'c.lane'])
      .where('c.settled_at', 'is', null)
      .where('c.created_at', '<', page.openSince)
      .where('c.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'c.id'))),
      )
      .orderBy('c.id')
      .limit(page.limit),
  )
}
