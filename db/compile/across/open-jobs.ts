import type { Compile } from '../../../core/compile/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads jobs that were admitted before `openSince`, are not finished and have no request in the outbox, by id: each
 * must have a run. `afterKey` continues a list.
 */
export async function listOpenJobs(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Compile>[]> {
  return await service.read(db, 'reconciles the jobs of all tenants', (q) =>
    q
      .selectFrom('compile_jobs as j')
      .select([
        'j.id as jobId',
        'j.tenant_id as tenantId',
        'j.row_count as rows',
        'j.k_score_floor as kScoreFloor',
        'j.base_model as baseModel',
      ])
      .where('j.admitted_at', '<', page.openSince)
      .where('j.finished_at', 'is', null)
      .where('j.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'j.id'))),
      )
      .orderBy('j.id')
      .limit(page.limit),
  )
}
