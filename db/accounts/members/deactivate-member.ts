import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { announceKeys } from '../keys/live-actor.ts'
import { lockPeople } from './lock-people.ts'
import { MemberEntity } from './member.ts'

/**
 * Shuts a member out: their sessions and keys end on every process at once, their seat is free. Repeating it changes
 * nothing. Throws `not_found`, also for another tenant's member, and `last_owner`.
 */
export async function deactivateMember(tx: Transaction, op: Operation, memberId: string): Promise<void> {
  // Two owners who shut each other out at once would leave the tenant without an owner.
  await lockPeople(tx, op.tenantId)
  await tx.em.flush()
  const member = await tx.em.findOne(MemberEntity, { id: memberId }, { refresh: true })
  if (member === null) throw KERNEL_ERRORS.not_found('no such member')
  if (member.state === 'deactivated') return
  if (member.role === 'owner' && (await countOwners(tx, op.tenantId)) === 1) {
    throw ACCOUNTS_ERRORS.last_owner('the last owner cannot be removed; make another member the owner first')
  }
  const now = op.now()
  member.state = 'deactivated'
  member.deactivatedAt = now
  member.updatedAt = now
  await tx.em.flush()
  await endAccess(tx, op.tenantId, memberId, now)
  await recordAudit(tx, op, { action: 'member.deactivated', target: memberId, payload: { role: member.role } })
}

/** Counts the active owners of a tenant. */
export async function countOwners(tx: Transaction, tenantId: string): Promise<number> {
  const [row] = await tx.read((q) =>
    q
      .selectFrom('members')
      .select(q.fn.countAll<number>().as('owners'))
      .where('tenant_id', '=', tenantId)
      .where('state', '=', 'active')
      .where('role', '=', 'owner'),
  )
  return row?.owners ?? 0
}

/** Ends a member's credentials: their sessions, their keys, and the sessions opened with these. */
async function endAccess(tx: Transaction, tenantId: string, memberId: string, now: Date): Promise<void> {
  await tx.q
    .with('gone', (q) =>
      q
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('tenant_id', '=', tenantId)
        .where('member_id', '=', memberId)
        .where('revoked_at', 'is', null)
        .returning('id'),
    )
    .updateTable('sessions')
    .set({ closed_at: now })
    .where('tenant_id', '=', tenantId)
    .where('closed_at', 'is', null)
    .where((of) =>
      of.or([of('member_id', '=', memberId), of('source_key_id', 'in', of.selectFrom('gone').select('gone.id'))]),
    )
    .returning((of) => notify('svc_sessions', of.ref('sessions.id')).as('notified'))
    .execute()
  await announceKeys(tx, memberId)
}
