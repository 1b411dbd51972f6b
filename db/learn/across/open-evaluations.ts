import { sql } from 'kysely'
import type { Evaluate } from '../../../core/learn/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads evaluations that were accepted before `openSince`, are not finished and have no request in the outbox, by id: each must have a
 * run. `afterKey` continues a list.
 */
export async function listOpenEvaluations(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Evaluate>[]> {
  return await service.read(db, 'reconciles the evaluations of all tenants', (q) =>
    q
      .selectFrom('evaluations as e')
      .select(['e.id as evaluationId', 'e.tenant_id as tenantId', 'e.row_count as rows', 'e.attempt'])
      .select([
        sql<string>`e.name`.as('target'),
        sql<boolean>`e.definition #>> '{target,kind}' = 'model'`.as('asksModel'),
      ])
      .where('e.finished_at', 'is', null)
      .where('e.created_at', '<', page.openSince)
      .where('e.id', '>', page.afterKey)
      .where((of) =>
        of.not(
          of.exists(
            of
              .selectFrom('outbox as o')
              .select('o.version')
              .where(
                'o.workflow_id',
                '=',
                sql<string>`case e.attempt when 1 then e.id else e.id || '/' || e.attempt end`,
              ),
          ),
        ),
      )
      .orderBy('e.id')
      .limit(page.limit),
  )
}
