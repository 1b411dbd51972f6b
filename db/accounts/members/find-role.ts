import type { Role } from '../../../core/accounts/roles.ts'
import type { Reader } from '../../kernel/queries/read.ts'

/**
 * Returns the role of an active member in the tenant; null for a missing id, another tenant's member, and a deactivated
 * one.
 */
export async function findRole(from: Reader, tenantId: string, memberId: string | null): Promise<Role | null> {
  if (memberId === null) return null
  const [member] = await from.read((q) =>
    q
      .selectFrom('members')
      .select('role')
      .where('id', '=', memberId)
      .where('tenant_id', '=', tenantId)
      .where('state', '=', 'active'),
  )
  return member?.role ?? null
}
