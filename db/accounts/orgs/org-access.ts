import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, type DomainError } from '../../../core/kernel/errors.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { isOrgOfOthers } from '../across/of-others.ts'
import type { Place } from '../../kernel/operation.ts'

/** An organisation (a tenant seen as its members) and the caller's role in it. */
export interface OrgAccess {
  readonly id: string
  readonly name: string
  readonly plan: PlanId
  readonly createdAt: Date
  readonly role: Role
}

/**
 * Returns the caller's organisation, when the caller has at least the required role. Throws `not_found` for an unknown
 * id, and `forbidden` for an organisation that the caller has not signed in to or a role that is too low.
 */
export async function requireOrgRole(
  from: Reader,
  op: Place,
  input: { readonly orgId: string; readonly callerId: string | null; readonly role: Role },
): Promise<OrgAccess> {
  const [org] = await from.read((q) =>
    q
      .selectFrom('tenants as t')
      .leftJoin('members as m', (on) =>
        on.on('m.id', '=', input.callerId).onRef('m.tenant_id', '=', 't.id').on('m.state', '=', 'active'),
      )
      .select(['t.id', 't.name', 't.plan', 't.created_at as createdAt', 'm.role'])
      .where('t.id', '=', input.orgId)
      .where('t.kind', '=', 'user')
      .where('t.deleted_at', 'is', null),
  )
  if (org === undefined) {
    if (await isOrgOfOthers(from, op.db, input.orgId)) throw otherOrganisation()
    throw KERNEL_ERRORS.not_found('no such organisation')
  }
  const { role, ...facts } = org
  if (org.id !== op.tenantId || role === null) {
    throw otherOrganisation()
  }
  if (!atLeast(role, input.role)) {
    throw ACCOUNTS_ERRORS.forbidden(`this needs the role ${input.role}; yours is ${role}`, {
      details: { required_role: input.role, role },
    })
  }
  return { ...facts, role }
}

function otherOrganisation(): DomainError {
  return ACCOUNTS_ERRORS.forbidden('you are signed in to another organisation; sign in to this one')
}
