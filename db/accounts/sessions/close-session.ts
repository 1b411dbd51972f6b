import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { inTransaction } from '../../kernel/transaction.ts'

/** Ends a session of the tenant on every process at once. Of one that is over or another tenant's nothing changes. */
export async function closeSession(op: Operation, input: { readonly sessionId: string }): Promise<void> {
  await inTransaction(op.db, op.tenantId, async (tx) => {
    const closed = await tx.query(
      `update sessions set closed_at = $3 where id = $1 and tenant_id = $2 and closed_at is null
       returning pg_notify('svc_sessions', id)`,
      [input.sessionId, op.tenantId, op.now()],
    )
    if (closed.length === 0) return
    await recordAudit(tx, op, { action: 'session.closed', target: input.sessionId, payload: {} })
  })
}
