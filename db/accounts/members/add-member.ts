import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Role } from '../../../core/accounts/roles.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { MemberEntity, type Member } from './member.ts'
import type { MemberSource } from '../../../core/accounts/member-sources.ts'
import { lockSeats } from './lock-seats.ts'
import { requireSeat } from './seats.ts'

/** The joining person. */
export interface AddMemberInput {
  /** Lower-case. */
  readonly email: string
  readonly displayName?: string | undefined
  readonly role: Role
  readonly source: MemberSource
  readonly isEmailVerified: boolean
  /** False for a known person who was deactivated: they take no seat. */
  readonly isActive?: boolean | undefined
  readonly externalId?: string | undefined
  readonly scim?: JsonObject | undefined
}

/**
 * Adds a person to the tenant. A former member returns under the same id with the values given now, unless SCIM still
 * knows them: then SCIM decides. An invitation's seat for the person becomes theirs. Throws `duplicate` and
 * `seat_limit`.
 */
export async function addMember(tx: Transaction, op: Operation, input: AddMemberInput): Promise<Member> {
  const { email, role, source } = input
  await lockSeats(tx, op.tenantId)
  await tx.em.flush()
  const known = await tx.em.findOne(MemberEntity, { email }, { refresh: true })
  if (known !== null && (known.state === 'active' || (known.scim ?? null) !== null)) {
    throw invalidField('email', 'a member of this organisation has this address already', ACCOUNTS_ERRORS.duplicate)
  }
  const isActive = input.isActive ?? true
  if (isActive) await requireSeat(tx, op, email)
  const now = op.now()
  const given = {
    role,
    source,
    state: isActive ? ('active' as const) : ('deactivated' as const),
    displayName: input.displayName ?? null,
    externalId: input.externalId ?? null,
    scim: input.scim ?? null,
    isEmailVerified: input.isEmailVerified,
    updatedAt: now,
    deactivatedAt: isActive ? null : now,
  }
  const member =
    known === null
      ? tx.em.create(MemberEntity, { ...given, id: newId('mbr'), tenantId: op.tenantId, email, createdAt: now })
      : tx.em.assign(known, given)
  await tx.em.flush()
  await recordAudit(tx, op, {
    action: 'member.added',
    target: member.id,
    payload: { role, source, is_active: isActive, is_returning: known !== null },
  })
  return member
}

/** Reactivates a member. Throws `not_found` and `seat_limit`. */
export async function reactivateMember(tx: Transaction, op: Operation, memberId: string): Promise<void> {
  await lockSeats(tx, op.tenantId)
  await tx.em.flush()
  const member = await tx.em.findOne(MemberEntity, { id: memberId }, { refresh: true })
  if (member === null) throw KERNEL_ERRORS.not_found('no such member')
  if (member.state === 'active') return
  await requireSeat(tx, op, member.email)
  member.state = 'active'
  member.deactivatedAt = null
  member.updatedAt = op.now()
  await tx.em.flush()
  await recordAudit(tx, op, { action: 'member.reactivated', target: memberId, payload: { role: member.role } })
}
