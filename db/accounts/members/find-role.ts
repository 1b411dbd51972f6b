import type { Role } from '../../../core/accounts/roles.ts'
import type { SqlRunner } from '../../kernel/database.ts'

/** The role of an active member in the tenant; null for nobody, for others, and for one who was shut out. */
export async function findRole(sql: SqlRunner, tenantId: string, memberId: string | null): Promise<Role | null> {
  if (memberId === null) return null
  const [member] = await sql.query<{ role: Role }>(
    `select role from members where id = $1 and tenant_id = $2 and state = 'active'`,
    [memberId, tenantId],
  )
  return member?.role ?? null
}
