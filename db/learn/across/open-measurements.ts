import { sql } from 'kysely'
import type { MeasureInference } from '../../../core/learn/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads measurements that were accepted before `openSince`, are not finished and have no request in the outbox, by id: each must have a
 * run. `afterKey` continues a list.
 */
export async function listOpenMeasurements(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof MeasureInference>[]> {
  return await service.read(db, 'reconciles the measurements of all tenants', (q) =>
    q
      .selectFrom('inference_measurements as m')
      .select(['m.id as measurementId', 'm.tenant_id as tenantId'])
      .select(sql<string>`m.request ->> 'model'`.as('target'))
      .select(
        sql<number>`json_array_length(m.request -> 'prompts') * (m.request ->> 'repeats')::integer * json_array_length(m.request -> 'concurrency')`.as(
          'calls',
        ),
      )
      .where('m.finished_at', 'is', null)
      .where('m.created_at', '<', page.openSince)
      .where('m.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'm.id'))),
      )
      .orderBy('m.id')
      .limit(page.limit),
  )
}
