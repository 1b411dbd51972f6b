import type { Compile } from '../../../../core/compile/workflows.ts'
import type { InputOf } from '../../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../../kernel/database.ts'

/**
 * Reads jobs that were let in before `openSince`, are not finished and have no request in the outbox, by id: each must have
 * a run. `afterKey` continues a list.
 */
export async function listOpenJobs(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Compile>[]> {
  return await db.query<InputOf<typeof Compile>>(
    `select j.id as "jobId", j.tenant_id as "tenantId", j.row_count as rows, j.k_score_floor as "kScoreFloor",
       j.base_model as "baseModel"
     from compile_jobs j
     where j.admitted_at < $1 and j.finished_at is null and j.id > $2
       and not exists (select 1 from outbox o where o.workflow_id = j.id)
     order by j.id limit $3`,
    [page.openSince, page.afterKey, page.limit],
  )
}
