import type { Limits } from '../../../core/compile/limits.ts'
import { keysCountAfter, UNKNOWN_CREDENTIAL, type RequestName } from '../../kernel/idempotency/claims.ts'
import type { Operation } from '../../kernel/operation.ts'

/** Returns true when this credential has made a job by a call to this route with this Idempotency-Key, and the key counts. */
export async function isKeyUsed(
  op: Operation,
  { route, key, credential, limits }: RequestName & { readonly limits: Limits },
): Promise<boolean> {
  const jobs = await op.read((q) =>
    q
      .selectFrom('compile_jobs')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('idempotency_route', '=', route)
      .where('idempotency_key', '=', key)
      .where('idempotency_credential', 'in', [credential, UNKNOWN_CREDENTIAL])
      .where('created_at', '>', keysCountAfter(limits, op.now()))
      .limit(1),
  )
  return jobs.length > 0
}
