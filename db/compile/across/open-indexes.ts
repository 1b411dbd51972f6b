import type { Index } from '../../../core/compile/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import { countRows } from '../../kernel/queries/count-rows.ts'
import { service } from '../../kernel/queries/service.ts'

/**
 * Reads calls that index files, were accepted before `openSince`, are not finished and have no request in the outbox, by
 * id: each must have a run. `afterKey` continues a list.
 */
export async function listOpenIndexes(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Index>[]> {
  return await service.read(db, 'reconciles the indexing of all tenants', (q) =>
    q
      .selectFrom('document_indexes as i')
      .select(['i.id as indexId', 'i.tenant_id as tenantId'])
      .select((of) =>
        countRows(of.selectFrom('document_index_files as f').whereRef('f.index_id', '=', 'i.id')).as('files'),
      )
      .where('i.finished_at', 'is', null)
      .where('i.created_at', '<', page.openSince)
      .where('i.id', '>', page.afterKey)
      .where((of) =>
        of.not(of.exists(of.selectFrom('outbox as o').select('o.version').whereRef('o.workflow_id', '=', 'i.id'))),
      )
      .orderBy('i.id')
      .limit(page.limit),
  )
}
