import { sql } from 'kysely'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { lockKeys } from '../keys/live-actor.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/**
 * Removes members from a team. Part of a larger transaction, whose verb has checked the caller's role. Keys that they
 * hold for the team continue without it: they charge nothing more to the team and cannot use its provider keys. The team
 * records when, since those provider keys should be rotated then.
 */
export async function leaveTeam(
  tx: Transaction,
  op: Operation,
  input: { readonly teamId: string; readonly memberIds: readonly string[] },
): Promise<void> {
  const { teamId } = input
  if (input.memberIds.length === 0) return
  // A key that is being made for the team right now is seen below, and one made after this is outside it.
  await lockKeys(tx, op.tenantId)
  const left = await tx.q
    .deleteFrom('team_members')
    .where('team_id', '=', teamId)
    .where('tenant_id', '=', op.tenantId)
    .where(sql<boolean>`member_id = any(${[...input.memberIds]})`)
    .returning(['member_id as memberId', 'role'])
    .execute()
  if (left.length === 0) return
  await tx.q
    .updateTable('teams')
    .set({ member_removed_at: op.now() })
    .where('id', '=', teamId)
    .where('tenant_id', '=', op.tenantId)
    .execute()
  await tx.q
    .updateTable('api_keys')
    .set({ team_id: null })
    .where('tenant_id', '=', op.tenantId)
    .where('team_id', '=', teamId)
    .where(sql<boolean>`member_id = any(${left.map(({ memberId }) => memberId)})`)
    .returning((of) => notify('svc_keys', of.ref('id')).as('notified'))
    .execute()
  for (const { memberId, role } of left) {
    await recordAudit(tx, op, { action: 'team.member_removed', target: memberId, payload: { team_id: teamId, role } })
  }
}
