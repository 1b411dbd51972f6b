import type { Distill } from '../../../core/learn/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads runs of distillation that were accepted before `openSince`, are not finished and have no request in the outbox, by id: each must
 * have a run of its workflow. `afterKey` continues a list.
 */
export async function listOpenRuns(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Distill>[]> {
  return await service.read(db, 'reconciles the distillations of all tenants', (q) =>
    q
      .selectFrom('distill_runs as r')
      .select(['r.id as runId', 'r.tenant_id as tenantId', 'r.kind'])
      .where('r.finished_at', 'is', null)
      .where('r.created_at', '<', page.openSince)
      .where('r.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'r.id'))),
      )
      .orderBy('r.id')
      .limit(page.limit),
  )
}
