import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../core/kernel/errors.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { lockKeys } from '../keys/live-actor.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { leaveTeam } from './leave-team.ts'
import { lockTeam } from './lock-team.ts'
import { refuseDirected, requireTeamRole, type TeamAccess } from './team-access.ts'

/** The caller and the member. */
export interface TeamMemberInput {
  readonly teamId: string
  readonly callerId: string | null
  readonly memberId: string
}

/**
 * Adds a member of the organisation to a team. Part of a larger transaction, whose verb has checked the caller's role.
 * An existing member stays unchanged. Returns whether anything changed.
 */
export async function joinTeam(
  tx: Transaction,
  op: Operation,
  input: { readonly teamId: string; readonly memberId: string; readonly role: Role },
): Promise<boolean> {
  const { teamId, memberId, role } = input
  const joined = await tx.q
    .insertInto('team_members')
    .values({ team_id: teamId, member_id: memberId, tenant_id: op.tenantId, role, created_at: op.now() })
    .onConflict((on) => on.columns(['team_id', 'member_id']).doNothing())
    .returning('member_id')
    .execute()
  if (joined.length === 0) return false
  await recordAudit(tx, op, { action: 'team.member_added', target: memberId, payload: { team_id: teamId, role } })
  return true
}

/**
 * Gives a member of a team another role in it, at most the caller's own. Throws `not_found`, `forbidden`, and
 * `last_owner` when the team would have no owner left.
 */
export async function changeTeamRole(op: Operation, input: TeamMemberInput & { readonly role: Role }): Promise<void> {
  requireScope(op, 'team:write')
  await op.write(async (tx) => {
    await lockTeam(tx, op.tenantId, input.teamId)
    const team = await requireTeamRole(tx, op, { ...input, role: 'admin' })
    const from = await roleToChange(tx, team, input.memberId)
    if (from === input.role) return
    if (!atLeast(team.role, input.role)) {
      throw invalidField(
        'role',
        `you are ${team.role} in this team and cannot assign a higher role`,
        ACCOUNTS_ERRORS.forbidden,
      )
    }
    if (from === 'owner') await requireAnotherOwner(tx, team.id, input.memberId)
    await tx.q
      .updateTable('team_members')
      .set({ role: input.role })
      .where('team_id', '=', team.id)
      .where('member_id', '=', input.memberId)
      .execute()
    await recordAudit(tx, op, {
      action: 'team.member_role_changed',
      target: input.memberId,
      payload: { team_id: team.id, from, to: input.role },
    })
  })
}

/**
 * Removes a member from a team; members may remove themselves. They stay in the organisation. Throws `not_found`,
 * `forbidden` and `last_owner`.
 */
export async function removeTeamMember(op: Operation, input: TeamMemberInput): Promise<void> {
  requireScope(op, 'team:write')
  await op.write(async (tx) => {
    await lockKeys(tx, op.tenantId)
    await lockTeam(tx, op.tenantId, input.teamId)
    const isOwn = input.memberId === input.callerId
    const team = await requireTeamRole(tx, op, { ...input, role: isOwn ? 'viewer' : 'admin' })
    refuseDirected(team)
    const role = await roleToChange(tx, team, input.memberId)
    if (role === 'owner') await requireAnotherOwner(tx, team.id, input.memberId)
    await leaveTeam(tx, op, { teamId: team.id, memberIds: [input.memberId] })
  })
}

/** Returns the role of a member that the caller may change: at most the caller's own. */
async function roleToChange(tx: Transaction, team: TeamAccess, memberId: string): Promise<Role> {
  const [member] = await tx.read((q) =>
    q
      .selectFrom('team_members')
      .select('role')
      .where('team_id', '=', team.id)
      .where('member_id', '=', memberId)
      .forUpdate(),
  )
  if (member === undefined) throw KERNEL_ERRORS.not_found('this team has no such member')
  if (!atLeast(team.role, member.role)) {
    throw ACCOUNTS_ERRORS.forbidden(`this member is ${member.role} of the team; you are ${team.role}`)
  }
  return member.role
}

async function requireAnotherOwner(tx: Transaction, teamId: string, memberId: string): Promise<void> {
  const others = await tx.read((q) =>
    q
      .selectFrom('team_members as tm')
      .innerJoin('members as m', (on) => on.onRef('m.id', '=', 'tm.member_id').on('m.state', '=', 'active'))
      .select('m.id')
      .where('tm.team_id', '=', teamId)
      .where('tm.role', '=', 'owner')
      .where('tm.member_id', '!=', memberId)
      .limit(1),
  )
  if (others.length > 0) return
  throw ACCOUNTS_ERRORS.last_owner('the team needs an owner; make another member the owner first')
}
