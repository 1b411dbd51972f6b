import { sql } from 'kysely'
import type { Bakeoff } from '../../../core/learn/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads bake-offs that were accepted before `openSince`, are not finished and have no request in the outbox, by id: each must have a
 * run. `afterKey` continues a list.
 */
export async function listOpenBakeoffs(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Bakeoff>[]> {
  return await service.read(db, 'reconciles the bake-offs of all tenants', (q) =>
    q
      .selectFrom('bakeoffs as b')
      .select(['b.id as bakeoffId', 'b.tenant_id as tenantId', 'b.row_count as rows'])
      .select((of) =>
        sql<string[]>`array${of
          .selectFrom('bakeoff_contestants as c')
          .select('c.name')
          .whereRef('c.bakeoff_id', '=', 'b.id')
          .orderBy('c.contestant')}`.as('contestants'),
      )
      .select(sql<boolean>`b.definition -> 'options' ->> 'judge' is not null`.as('isJudged'))
      .where('b.finished_at', 'is', null)
      .where('b.created_at', '<', page.openSince)
      .where('b.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'b.id'))),
      )
      .orderBy('b.id')
      .limit(page.limit),
  )
}
