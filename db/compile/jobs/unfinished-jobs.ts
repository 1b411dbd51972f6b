import type { Operation } from '../../kernel/operation.ts'

/** Lists the ids of the tenant's unfinished jobs, oldest first. */
export async function unfinishedJobsOf(op: Operation, input: { readonly limit: number }): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('status', 'in', ['queued', 'running'])
      .orderBy('created_at')
      .orderBy('id')
      .limit(input.limit),
  )
  return rows.map(({ id }) => id)
}
