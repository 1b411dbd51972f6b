import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../core/kernel/errors.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { unpinPeople } from '../sso/pinned-people.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { deactivateMember } from './deactivate-member.ts'
import { requireHeldRole } from './held-role.ts'
import { lockSeats } from './lock-seats.ts'
import { setRole } from './set-role.ts'

/** The caller and the member. */
export interface OrgMemberInput {
  readonly orgId: string
  readonly callerId: string | null
  readonly memberId: string
}

/**
 * Gives a member another role, at most the caller's own and only rights that the caller holds; keys of theirs that hold
 * more end. An owner is made by `transferOwnership` only. Throws `not_found`, `forbidden`, `insufficient_scope`, and
 * `last_owner` for the owner.
 */
export async function changeMemberRole(op: Operation, input: OrgMemberInput & { readonly role: Role }): Promise<void> {
  requireScope(op, 'team:admin')
  if (input.role === 'owner') {
    throw invalidField(
      'role',
      'an organisation has one owner; use transfer-owner to change the owner',
      ACCOUNTS_ERRORS.forbidden,
    )
  }
  await op.write(async (tx) => {
    await lockSeats(tx, op.tenantId)
    const { role } = await requireOrgRole(tx, op, { ...input, role: 'admin' })
    const from = await roleToChange(tx, op, { memberId: input.memberId, callerRole: role })
    if (from === 'owner') throw ACCOUNTS_ERRORS.last_owner('use transfer-owner to change the owner')
    if (!atLeast(from, input.role)) requireHeldRole(op, input.role)
    await setRole(tx, op, input)
  })
}

/**
 * Shuts a member out of the organisation: sessions and keys end at once, the seat is free, and the provider's id for
 * them is removed, so that they may return under another one. Throws `not_found`, `forbidden` and `last_owner`.
 */
export async function removeMember(op: Operation, input: OrgMemberInput): Promise<void> {
  requireScope(op, 'team:admin')
  await op.write(async (tx) => {
    await lockSeats(tx, op.tenantId)
    const { role } = await requireOrgRole(tx, op, { ...input, role: 'admin' })
    await roleToChange(tx, op, { memberId: input.memberId, callerRole: role })
    await deactivateMember(tx, op, input.memberId)
    await unpinPeople(tx, op, { protocols: ['saml', 'oidc'], memberId: input.memberId })
  })
}

/** Removes the caller from the organisation. Throws `not_found`, `forbidden`, and `last_owner` for its owner. */
export async function leaveOrg(
  op: Operation,
  input: { readonly orgId: string; readonly callerId: string | null },
): Promise<void> {
  await op.write(async (tx) => {
    await requireOrgRole(tx, op, { ...input, role: 'viewer' })
    if (input.callerId !== null) await deactivateMember(tx, op, input.callerId)
  })
}

async function roleToChange(
  tx: Transaction,
  op: Operation,
  { memberId, callerRole }: { readonly memberId: string; readonly callerRole: Role },
): Promise<Role> {
  const [member] = await tx.read((q) =>
    q
      .selectFrom('members')
      .select('role')
      .where('id', '=', memberId)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'active'),
  )
  if (member === undefined) throw KERNEL_ERRORS.not_found('no such member')
  if (!atLeast(callerRole, member.role)) {
    throw ACCOUNTS_ERRORS.forbidden(`this member is ${member.role}; you are ${callerRole}`)
  }
  return member.role
}
