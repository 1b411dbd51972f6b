import { UNKNOWN_CREDENTIAL } from '../../kernel/idempotency/claims.ts'
import type { Operation } from '../../kernel/operation.ts'

/** True when this credential has made a job by a call to this route with this Idempotency-Key. */
export async function isKeyUsed(
  op: Operation,
  { route, key, credential }: { readonly route: string; readonly key: string; readonly credential: string },
): Promise<boolean> {
  const jobs = await op.db.query(
    `select 1 from compile_jobs where tenant_id = $1 and idempotency_route = $2 and idempotency_key = $3
       and idempotency_credential in ($4, '${UNKNOWN_CREDENTIAL}') limit 1`,
    [op.tenantId, route, key, credential],
  )
  return jobs.length > 0
}
