import { DomainError } from '../../../core/kernel/errors.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import { isOrgOfOthers } from '../across/of-others.ts'
import type { Operation } from '../../kernel/operation.ts'

/** An organisation, which is a tenant seen as its members, and what the caller is in it. */
export interface OrgAccess {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
  readonly createdAt: Date
  readonly role: Role
}

/**
 * The caller's organisation, when the caller's role in it is at least the wanted one. Throws `not_found` for an id that
 * no organisation has, and `forbidden` for one that the caller has not signed in to, or may not do this in.
 */
export async function requireOrgRole(
  sql: SqlRunner,
  op: Pick<Operation, 'tenantId'>,
  input: { readonly orgId: string; readonly callerId: string | null; readonly role: Role },
): Promise<OrgAccess> {
  const [org] = await sql.query<Omit<OrgAccess, 'role'> & { readonly role: Role | null }>(
    `select t.id, t.name, t.plan, t.created_at as "createdAt", m.role
     from tenants t left join members m on m.id = $2 and m.tenant_id = t.id and m.state = 'active'
     where t.id = $1 and t.kind = 'user' and t.deleted_at is null`,
    [input.orgId, input.callerId],
  )
  if (org === undefined) {
    if (await isOrgOfOthers(sql, input.orgId)) throw otherOrganisation()
    throw new DomainError('not_found', 'no such organisation')
  }
  const { role, ...facts } = org
  if (org.id !== op.tenantId || role === null) {
    throw otherOrganisation()
  }
  if (!atLeast(role, input.role)) {
    throw new DomainError('forbidden', `this needs the role ${input.role}; yours is ${role}`, {
      details: { required_role: input.role, role },
    })
  }
  return { ...facts, role }
}

function otherOrganisation(): DomainError {
  return new DomainError('forbidden', 'this is another organisation; sign in to it')
}
