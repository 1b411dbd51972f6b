import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Gate } from '../../../core/learn/workflows.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads gates that were registered before `openSince`, are not finished and have no request in the outbox, by id: each must
 * have a run. `afterKey` continues a list.
 */
export async function listOpenGates(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Gate>[]> {
  return await service.read(db, 'reconciles the gates of all tenants', (q) =>
    q
      .selectFrom('gates as g')
      .select(['g.id as gateId', 'g.tenant_id as tenantId', 'g.mode', 'g.row_count as rows'])
      .where('g.finished_at', 'is', null)
      .where('g.created_at', '<', page.openSince)
      .where('g.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'g.id'))),
      )
      .orderBy('g.id')
      .limit(page.limit),
  )
}
