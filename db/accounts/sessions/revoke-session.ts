import { DomainError } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/**
 * Ends a session on every process at once, whoever's browser has it. `memberId` narrows it to the sessions of one
 * member; undefined reaches those of the whole tenant. Repeating it changes nothing. Throws `not_found`, also for
 * another tenant's session.
 */
export async function revokeSession(
  op: Operation,
  input: { readonly sessionId: string; readonly memberId: string | null | undefined },
): Promise<void> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    const [session] = await tx.query<{ closedAt: Date | null; memberId: string | null }>(
      `select s.closed_at as "closedAt", coalesce(s.member_id, k.member_id) as "memberId"
       from sessions s left join api_keys k on k.id = s.source_key_id
       where s.id = $1 and s.tenant_id = $2 for update of s`,
      [input.sessionId, op.tenantId],
    )
    const isReached = session && (input.memberId === undefined || session.memberId === input.memberId)
    if (!isReached) throw new DomainError('not_found', 'no such session')
    if (session.closedAt !== null) return
    await tx.query(`update sessions set closed_at = $2 where id = $1 returning pg_notify('svc_sessions', id)`, [
      input.sessionId,
      op.now(),
    ])
    await recordAudit(tx, op, { action: 'session.revoked', target: input.sessionId, payload: {} })
  })
}
