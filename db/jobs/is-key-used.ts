import type { Operation } from '../operation.ts'

/** True when a job of the tenant was made by a call to this route with this Idempotency-Key. */
export async function isKeyUsed(
  op: Operation,
  { route, key }: { readonly route: string; readonly key: string },
): Promise<boolean> {
  const jobs = await op.db.query(
    'select 1 from compile_jobs where tenant_id = $1 and idempotency_route = $2 and idempotency_key = $3 limit 1',
    [op.tenantId, route, key],
  )
  return jobs.length > 0
}
