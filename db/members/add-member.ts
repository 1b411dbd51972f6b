import { DomainError, invalidField } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Role } from '../../core/tenancy/roles.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Operation } from '../operation.ts'
import type { Transaction } from '../transaction.ts'
import { MemberEntity, type Member, type MemberSource } from './member.ts'
import { lockSeats } from './lock-seats.ts'
import { requireSeat } from './seats.ts'

/** Who joins. */
export interface AddMemberInput {
  /** Lower-case. */
  readonly email: string
  readonly displayName?: string | undefined
  readonly role: Role
  readonly source: MemberSource
  readonly isEmailVerified: boolean
  readonly externalId?: string | undefined
  readonly scim?: JsonObject | undefined
}

/**
 * Takes a person into the tenant. One who was a member before comes back under the same id, with what is given now,
 * unless SCIM still knows them: then it is SCIM that decides. An invitation that reserved the seat must be marked as
 * accepted before. Throws `duplicate` and `seat_limit`.
 */
export async function addMember(tx: Transaction, op: Operation, input: AddMemberInput): Promise<Member> {
  const { email, role, source } = input
  await lockSeats(tx, op.tenantId)
  await tx.em.flush()
  const known = await tx.em.findOne(MemberEntity, { email }, { refresh: true })
  if (known !== null && (known.state === 'active' || (known.scim ?? null) !== null)) {
    throw invalidField('email', 'a member of this organisation has this address already', 'duplicate')
  }
  await requireSeat(tx, op)
  const now = op.now()
  const given = {
    role,
    source,
    state: 'active' as const,
    displayName: input.displayName ?? null,
    externalId: input.externalId ?? null,
    scim: input.scim ?? null,
    isEmailVerified: input.isEmailVerified,
    updatedAt: now,
    deactivatedAt: null,
  }
  const member =
    known === null
      ? tx.em.create(MemberEntity, { ...given, id: newId('mbr'), tenantId: op.tenantId, email, createdAt: now })
      : tx.em.assign(known, given)
  await tx.em.flush()
  await recordAudit(tx, op, {
    action: 'member.added',
    target: member.id,
    payload: { role, source, is_returning: known !== null },
  })
  return member
}

/** Lets a member in again who was shut out. Throws `not_found` and `seat_limit`. */
export async function reactivateMember(tx: Transaction, op: Operation, memberId: string): Promise<void> {
  await lockSeats(tx, op.tenantId)
  await tx.em.flush()
  const member = await tx.em.findOne(MemberEntity, { id: memberId }, { refresh: true })
  if (member === null) throw new DomainError('not_found', 'no such member')
  if (member.state === 'active') return
  await requireSeat(tx, op)
  member.state = 'active'
  member.deactivatedAt = null
  member.updatedAt = op.now()
  await tx.em.flush()
  await recordAudit(tx, op, { action: 'member.reactivated', target: memberId, payload: { role: member.role } })
}
