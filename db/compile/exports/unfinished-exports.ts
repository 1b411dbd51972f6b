import type { Operation } from '../../kernel/operation.ts'

/** Lists the ids of the tenant's unfinished exports, oldest first. */
export async function unfinishedExportsOf(
  op: Operation,
  input: { readonly limit: number },
): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('exports')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('finished_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id')
      .limit(input.limit),
  )
  return rows.map(({ id }) => id)
}
