import { sql } from 'kysely'
import type { BuildDataset } from '../../../core/learn/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads versions of datasets that were accepted before `openSince`, are not finished and have no request in the outbox, by
 * the id of their workflow: each must have a run. `afterKey` continues a list.
 */
export async function listOpenBuilds(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof BuildDataset>[]> {
  const workflowId = sql<string>`v.dataset_id || '/v' || v.version`
  return await service.read(db, 'reconciles the datasets of all tenants', (q) =>
    q
      .selectFrom('dataset_versions as v')
      .select(['v.dataset_id as datasetId', 'v.version', 'v.tenant_id as tenantId'])
      .where('v.finished_at', 'is', null)
      .where('v.created_at', '<', page.openSince)
      .where(workflowId, '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').where('o.workflow_id', '=', workflowId))),
      )
      .orderBy(workflowId)
      .limit(page.limit),
  )
}

/** Reads datasets with rows of forgotten captures that are not erased yet. */
export async function dueRowErasures(
  db: Database,
  limit: number,
): Promise<readonly { readonly datasetId: string; readonly tenantId: string }[]> {
  return await service.read(db, 'erases what was forgotten for all tenants', (q) =>
    q
      .selectFrom('dataset_captures')
      .select(['dataset_id as datasetId', 'tenant_id as tenantId'])
      .distinct()
      .where('forgotten_at', 'is not', null)
      .where('erased_at', 'is', null)
      .orderBy('dataset_id')
      .limit(limit),
  )
}
