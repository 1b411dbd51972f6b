import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import type { SsoProtocol } from './login-attempts.ts'

/** Ends the sessions that the tenant's own provider opened: of one member, or all. */
export async function endSsoSessions(
  tx: Transaction,
  op: Operation,
  input: { readonly protocols: readonly SsoProtocol[]; readonly memberId?: string | undefined },
): Promise<void> {
  await tx.query(
    `update sessions set closed_at = $4
     where tenant_id = $1 and auth_method = any($2) and ($3::text is null or member_id = $3) and closed_at is null
     returning pg_notify('svc_sessions', id)`,
    [op.tenantId, [...input.protocols], input.memberId ?? null, op.now()],
  )
}
