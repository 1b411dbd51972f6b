import type { Operation } from '../../../kernel/operation.ts'

/** Lists the ids of the tenant's jobs whose accepted candidate is being signed, oldest acceptance first. */
export async function pendingAcceptancesOf(
  op: Operation,
  input: { readonly limit: number },
): Promise<readonly string[]> {
  const rows = await op.read((q) =>
    q
      .selectFrom('compile_acceptances')
      .select('job_id as jobId')
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'pending')
      .orderBy('accepted_at')
      .orderBy('job_id')
      .limit(input.limit),
  )
  return rows.map(({ jobId }) => jobId)
}
