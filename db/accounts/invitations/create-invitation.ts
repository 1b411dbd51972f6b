import { sql } from 'kysely'
import { createHash, randomBytes } from 'node:crypto'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, invalidField, type DomainError } from '../../../core/kernel/errors.ts'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/accounts/limits.ts'
import { atLeast, type Role } from '../../../core/accounts/roles.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { enqueueMail } from '../mails/enqueue-mail.ts'
import { requireHeldRole } from '../members/held-role.ts'
import { lockSeats } from '../members/lock-seats.ts'
import { requireSeat } from '../members/seats.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { requireTeamPlan } from '../teams/create-team.ts'
import { refuseDirected, requireTeamRole } from '../teams/team-access.ts'
import { joinTeam } from '../teams/team-members.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** The address to invite, and its place. */
export interface CreateInvitationInput {
  /** Null invites into the organisation alone. */
  readonly teamId: string | null
  /** Lower-case. */
  readonly email: string
  readonly role: Role
  readonly callerId: string | null
  /** Builds the mailed address from the token, which only the mail contains; null without mail. */
  readonly linkOf: ((token: string) => string) | null
  readonly limits: Limits
}

/** Result of an invitation. */
export type CreatedInvitation =
  | { readonly kind: 'invited'; readonly invitationId: string; readonly expiresAt: Date }
  /** True for a member of the organisation, who needs no seat and no mail. */
  | { readonly kind: 'joined'; readonly memberId: string }

const DAY_MS = 86_400_000

/**
 * Invites an address into the organisation and, with a team, into that team: reserves a seat and mails a token, of
 * which only the SHA-256 is stored. A member of the organisation joins the team at once, decided by the team's admins;
 * admins of the organisation invite new people. Throws `not_found`, `forbidden`, `insufficient_scope`,
 * `plan_upgrade_required`, `seat_limit`, `duplicate` for an address that is a member, was invited, or is shut out by
 * the identity provider, and `mail_not_configured`: the mail is the only way to the token, since it proves the address.
 */
export async function createInvitation(op: Operation, input: CreateInvitationInput): Promise<CreatedInvitation> {
  requireScope(op, input.teamId === null ? 'team:admin' : 'team:write')
  return await op.write(async (tx) => {
    const place = await placeToJoin(tx, op, input)
    await lockSeats(tx, op.tenantId)
    const memberId = await findMember(tx, op, input.email)
    if (memberId !== null) {
      const { teamId } = input
      if (teamId === null || !(await joinTeam(tx, op, { teamId, memberId, role: input.role }))) {
        throw invalidField('email', 'is a member already', ACCOUNTS_ERRORS.duplicate)
      }
      return { kind: 'joined', memberId }
    }
    requireScope(op, 'team:admin')
    await requireOrgRole(tx, op, { orgId: op.tenantId, callerId: input.callerId, role: 'admin' })
    requireHeldRole(op, orgRoleOf(input))
    await refuseSecond(tx, op, input.email)
    await requireSeat(tx, op, input.email)
    return await invite(tx, op, input, place)
  })
}

interface Place {
  readonly org: string
  /** Empty without a team. */
  readonly team: string
}

/** Checks the role that the caller assigns: at most the caller's own, and never owner, which needs a transfer. */
async function placeToJoin(tx: Transaction, op: Operation, input: CreateInvitationInput): Promise<Place> {
  const { teamId, callerId, role } = input
  if (teamId === null) {
    const org = await requireOrgRole(tx, op, { orgId: op.tenantId, callerId, role: 'admin' })
    if (role === 'owner')
      throw invalidField(
        'role',
        'an organisation has one owner; use transfer-owner to change the owner',
        ACCOUNTS_ERRORS.forbidden,
      )
    return { org: org.name, team: '' }
  }
  const team = await requireTeamRole(tx, op, { teamId, callerId, role: 'admin' })
  refuseDirected(team)
  await requireTeamPlan(tx, op.tenantId)
  if (!atLeast(team.role, role)) {
    throw invalidField(
      'role',
      `you are ${team.role} in this team and cannot assign a higher role`,
      ACCOUNTS_ERRORS.forbidden,
    )
  }
  const [tenant] = await tx.read((q) => q.selectFrom('tenants').select('name').where('id', '=', op.tenantId))
  return { org: tenant?.name ?? '', team: team.name }
}

async function findMember(tx: Transaction, op: Operation, email: string): Promise<string | null> {
  const [member] = await tx.read((q) =>
    q
      .selectFrom('members')
      .select(['id', 'state', sql<boolean>`scim is not null`.as('isDirected')])
      .where('tenant_id', '=', op.tenantId)
      .where('email', '=', email),
  )
  if (member === undefined) return null
  if (member.state === 'active') return member.id
  // The mail could never be accepted.
  if (member.isDirected)
    throw invalidField('email', 'is deactivated by your identity provider; change it there', ACCOUNTS_ERRORS.duplicate)
  return null
}

/** One person takes one seat, so one address has one open invitation. */
async function refuseSecond(tx: Transaction, op: Operation, email: string): Promise<void> {
  const open = await tx.read((q) =>
    q
      .selectFrom('invitations')
      .select('id')
      .where('tenant_id', '=', op.tenantId)
      .where('email', '=', email)
      .where('accepted_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', op.now()),
  )
  if (open.length > 0)
    throw invalidField('email', 'was invited already; revoke that invitation first', ACCOUNTS_ERRORS.duplicate)
}

async function invite(
  tx: Transaction,
  op: Operation,
  { teamId, email, role, callerId, linkOf, limits }: CreateInvitationInput,
  place: Place,
): Promise<CreatedInvitation> {
  if (linkOf === null) {
    throw ACCOUNTS_ERRORS.mail_not_configured('invitations are mailed, and this service has no mail server')
  }
  const token = randomBytes(32).toString('base64url')
  const invitationId = newId('ivt')
  const now = op.now()
  const expiresAt = new Date(now.getTime() + limits.invitation_days * DAY_MS)
  const [caller] = await tx.read((q) =>
    q.selectFrom('members').select('email').where('id', '=', callerId).where('tenant_id', '=', op.tenantId),
  )
  await tx.q
    .insertInto('invitations')
    .values({
      id: invitationId,
      tenant_id: op.tenantId,
      team_id: teamId,
      email,
      role,
      token_hash: hashInvitation(token),
      invited_by: callerId,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
  await enqueueMail(tx, op.db, {
    template: 'invitation',
    to: email,
    tenantId: op.tenantId,
    params: {
      ...place,
      role,
      invited_by: caller?.email ?? 'an administrator',
      link: linkOf(token),
      expires_at: expiresAt.toISOString(),
    },
    now,
  })
  await recordAudit(tx, op, {
    action: 'invitation.created',
    target: invitationId,
    payload: { role, team_id: teamId, expires_at: expiresAt.toISOString() },
  })
  return { kind: 'invited', invitationId, expiresAt }
}

/**
 * Returns the organisation role of an invitation. A viewer of a team is a viewer of the organisation; any other team
 * role makes a member.
 */
export function orgRoleOf({ teamId, role }: { readonly teamId: string | null; readonly role: Role }): Role {
  if (teamId === null) return role
  return role === 'viewer' ? 'viewer' : 'member'
}

/** Returns the stored form of a token: it has 256 random bits, so no salt or stretching is needed. */
export function hashInvitation(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Returns the error of an unknown token. */
export function unknownInvitation(): DomainError {
  return KERNEL_ERRORS.not_found('no such invitation')
}
