import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/** Roles of the asking member in the tenant and its teams. */
export interface VaultCaller {
  /** Null for a caller without a member: then no member's row is theirs. */
  readonly memberId: string | null
  /** Has every permission, or is an administrator of the tenant. */
  readonly isAdmin: boolean
  /** Roles by team. */
  readonly teams: ReadonlyMap<string, Role>
}

/** Looks up the caller's rights in the vault. */
export async function vaultCaller(
  from: Reader,
  op: Pick<Operation, 'tenantId' | 'scopes'>,
  memberId: string | null,
): Promise<VaultCaller> {
  const mayAll = op.scopes === null || op.scopes.includes('*')
  if (memberId === null) return { memberId, isAdmin: mayAll, teams: new Map() }
  const [[member], teams] = await from.read((q) => [
    q
      .selectFrom('members')
      .select('role')
      .where('tenant_id', '=', op.tenantId)
      .where('id', '=', memberId)
      .where('state', '=', 'active'),
    q
      .selectFrom('team_members')
      .select(['team_id as teamId', 'role'])
      .where('tenant_id', '=', op.tenantId)
      .where('member_id', '=', memberId),
  ])
  return {
    memberId,
    isAdmin: mayAll || (member !== undefined && atLeast(member.role, 'admin')),
    teams: new Map(teams.map(({ teamId, role }) => [teamId, role])),
  }
}

/** Throws `not_found` for a team outside the tenant. */
export async function requireOwnTeam(from: Reader, tenantId: string, teamId: string): Promise<void> {
  const found = await from.read((q) =>
    q.selectFrom('teams').select('id').where('tenant_id', '=', tenantId).where('id', '=', teamId),
  )
  if (found.length === 0) throw KERNEL_ERRORS.not_found('no such team')
}

/** Returns true when the caller may store and remove the keys of a team. */
export function administrates({ isAdmin, teams }: VaultCaller, teamId: string): boolean {
  if (isAdmin) return true
  const role = teams.get(teamId)
  return role !== undefined && atLeast(role, 'admin')
}
