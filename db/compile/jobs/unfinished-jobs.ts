import type { Operation } from '../../kernel/operation.ts'

/** Ids of the tenant's jobs that have not ended, oldest first. */
export async function unfinishedJobsOf(op: Operation, input: { readonly limit: number }): Promise<readonly string[]> {
  const rows = await op.db.query<{ id: string }>(
    `select id from compile_jobs where tenant_id = $1 and status in ('queued', 'running') order by created_at, id
     limit $2`,
    [op.tenantId, input.limit],
  )
  return rows.map(({ id }) => id)
}
