import type { Export } from '../../../core/compile/workflows.ts'
import type { InputOf } from '../../../core/kernel/workflows/define-workflow.ts'
import type { Database } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'

/**
 * Reads exports that were accepted before `openSince`, are not finished and have no request in the outbox, by id: each must
 * have a run. `afterKey` continues a list.
 */
export async function listOpenExports(
  db: Database,
  page: { readonly openSince: Date; readonly afterKey: string; readonly limit: number },
): Promise<readonly InputOf<typeof Export>[]> {
  return await db.query<InputOf<typeof Export>>(
    `select e.id as "exportId", e.tenant_id as "tenantId", e.target, e.quant from exports e
     where e.finished_at is null and e.created_at < $1 and e.id > $2
       and not exists (select 1 from outbox o where o.workflow_id = e.id)
     order by e.id limit $3`,
    [page.openSince, page.afterKey, page.limit],
  )
}

/** Ids of the tenant's exports that have not ended, oldest first. */
export async function unfinishedExportsOf(
  op: Operation,
  input: { readonly limit: number },
): Promise<readonly string[]> {
  const rows = await op.db.query<{ id: string }>(
    'select id from exports where tenant_id = $1 and finished_at is null order by created_at, id limit $2',
    [op.tenantId, input.limit],
  )
  return rows.map(({ id }) => id)
}
