import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'

/** Ends a session of the tenant on every process at once. A finished session and another tenant's stay unchanged. */
export async function closeSession(op: Operation, input: { readonly sessionId: string }): Promise<void> {
  await op.write(async (tx) => {
    const closed = await tx.q
      .updateTable('sessions')
      .set({ closed_at: op.now() })
      .where('id', '=', input.sessionId)
      .where('tenant_id', '=', op.tenantId)
      .where('closed_at', 'is', null)
      .returning((of) => notify('svc_sessions', of.ref('id')).as('notified'))
      .execute()
    if (closed.length === 0) return
    await recordAudit(tx, op, { action: 'session.closed', target: input.sessionId, payload: {} })
  })
}
