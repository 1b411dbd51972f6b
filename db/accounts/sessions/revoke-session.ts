import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'

/**
 * Ends a session on every process at once, in any browser. `memberId` narrows it to the sessions of one member;
 * undefined reaches those of the whole tenant. Repeating it changes nothing. Throws `not_found`, also for another
 * tenant's session.
 */
export async function revokeSession(
  op: Operation,
  input: { readonly sessionId: string; readonly memberId: string | null | undefined },
): Promise<void> {
  await op.write(async (tx) => {
    const [session] = await tx.read((q) =>
      q
        .selectFrom('sessions as s')
        .leftJoin('api_keys as k', 'k.id', 's.source_key_id')
        .select((of) => ['s.closed_at as closedAt', of.fn.coalesce('s.member_id', 'k.member_id').as('memberId')])
        .where('s.id', '=', input.sessionId)
        .where('s.tenant_id', '=', op.tenantId)
        .forUpdate('s'),
    )
    const isReached = session && (input.memberId === undefined || session.memberId === input.memberId)
    if (!isReached) throw KERNEL_ERRORS.not_found('no such session')
    if (session.closedAt !== null) return
    await tx.q
      .updateTable('sessions')
      .set({ closed_at: op.now() })
      .where('id', '=', input.sessionId)
      .returning((of) => notify('svc_sessions', of.ref('id')).as('notified'))
      .execute()
    await recordAudit(tx, op, { action: 'session.revoked', target: input.sessionId, payload: {} })
  })
}
