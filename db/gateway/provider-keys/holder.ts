import { DomainError } from '../../../core/kernel/errors.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { Operation } from '../../kernel/operation.ts'

/** What the one who asks is in the tenant and in its teams. */
export interface VaultCaller {
  /** Null where nobody in particular asks: then no row of a member is theirs. */
  readonly memberId: string | null
  /** May do everything, or is an administrator of the tenant. */
  readonly isAdmin: boolean
  /** Roles by team. */
  readonly teams: ReadonlyMap<string, Role>
}

/** Looks up what the caller may see and change in the vault. */
export async function vaultCaller(
  sql: SqlRunner,
  op: Pick<Operation, 'tenantId' | 'scopes'>,
  memberId: string | null,
): Promise<VaultCaller> {
  const mayAll = op.scopes === null || op.scopes.includes('*')
  if (memberId === null) return { memberId, isAdmin: mayAll, teams: new Map() }
  const [member] = await sql.query<{ role: Role }>(
    `select role from members where tenant_id = $1 and id = $2 and state = 'active'`,
    [op.tenantId, memberId],
  )
  const teams = await sql.query<{ teamId: string; role: Role }>(
    `select team_id as "teamId", role from team_members where tenant_id = $1 and member_id = $2`,
    [op.tenantId, memberId],
  )
  return {
    memberId,
    isAdmin: mayAll || (member !== undefined && atLeast(member.role, 'admin')),
    teams: new Map(teams.map(({ teamId, role }) => [teamId, role])),
  }
}

/** Throws `not_found` for a team that the tenant does not have. */
export async function requireOwnTeam(sql: SqlRunner, tenantId: string, teamId: string): Promise<void> {
  const found = await sql.query('select 1 from teams where tenant_id = $1 and id = $2', [tenantId, teamId])
  if (found.length === 0) throw new DomainError('not_found', 'no such team')
}

/** True when the caller may store and remove the keys of a team. */
export function administrates({ isAdmin, teams }: VaultCaller, teamId: string): boolean {
  if (isAdmin) return true
  const role = teams.get(teamId)
  return role !== undefined && atLeast(role, 'admin')
}
