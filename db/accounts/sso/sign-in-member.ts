import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { isAllowedDomain, roleOfGroups, type SsoSettings } from '../../../core/accounts/sign-in/sso-settings.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { ExternalIdentityEntity } from '../identities/external-identity.ts'
import { addMember } from '../members/add-member.ts'
import { lockSeats } from '../members/lock-seats.ts'
import { MemberEntity, type Member } from '../members/member.ts'
import { setRole } from '../members/set-role.ts'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'
import type { SsoProtocol } from './login-attempts.ts'
import { ownProvider } from './pinned-people.ts'

/** A person authenticated by a tenant's identity provider. */
export interface Vouched {
  readonly protocol: SsoProtocol
  /** The provider's own id for them. */
  readonly subject: string
  /** Lower-case; null when the provider did not state it or did not verify it. */
  readonly email: string | null
  readonly displayName: string | null
  /** Null when the provider sent no groups. */
  readonly groups: readonly string[] | null
  readonly settings: SsoSettings
}

/**
 * Returns the tenant's member for a person of its provider: found by the provider's id, else by address, which pins the
 * id. Unknown people become members when the tenant's settings say so. An address that only the tenant's own provider
 * confirms does not count as verified anywhere else.
 * Owners do not sign in this way: admins choose the provider, and must not become owners by it. Throws `forbidden`,
 * `account_link_required` and `seat_limit`.
 */
export async function signInMember(tx: Transaction, op: Operation, vouched: Vouched): Promise<Member> {
  const provider = ownProvider(vouched.protocol, op.tenantId)
  // Two concurrent sign-ins of one new person must not make two members.
  await lockInTransaction(tx, `sign-in ${provider} ${vouched.subject}`)
  // Owners are made under this lock: no member becomes one between the check below and the commit of the session.
  await lockSeats(tx, op.tenantId)
  const identity = await tx.em.findOne(ExternalIdentityEntity, { provider, subject: vouched.subject })
  requireDomain(vouched, identity?.email ?? null)
  if (identity !== null) {
    const member = await tx.em.findOneOrFail(MemberEntity, { id: identity.memberId }, { refresh: true })
    requireWelcome(member)
    identity.lastUsedAt = op.now()
    await bindRole(tx, op, member, vouched)
    return member
  }
  const { email } = vouched
  if (email === null) {
    throw ACCOUNTS_ERRORS.forbidden('the identity provider names no verified address for this person')
  }
  const known = await tx.em.findOne(MemberEntity, { email }, { refresh: true })
  const member = known ?? (await join(tx, op, vouched, email))
  requireWelcome(member)
  await requireUnpinned(tx, provider, member)
  const now = op.now()
  tx.em.create(ExternalIdentityEntity, {
    provider,
    subject: vouched.subject,
    tenantId: op.tenantId,
    memberId: member.id,
    email,
    createdAt: now,
    lastUsedAt: now,
  })
  await tx.em.flush()
  await recordAudit(tx, op, { action: 'identity.linked', target: member.id, payload: { provider: vouched.protocol } })
  if (known !== null) await bindRole(tx, op, member, vouched)
  return member
}

async function join(tx: Transaction, op: Operation, vouched: Vouched, email: string): Promise<Member> {
  const { settings, protocol, displayName, groups } = vouched
  if (!settings.isJit) {
    throw ACCOUNTS_ERRORS.forbidden('this person is not a member; an admin must invite them first')
  }
  return await addMember(tx, op, {
    email,
    displayName: displayName ?? undefined,
    role: roleOfGroups(settings, groups ?? []),
    source: protocol,
    isEmailVerified: false,
  })
}

function requireDomain({ settings, email }: Vouched, pinnedEmail: string | null): void {
  const address = email ?? pinnedEmail
  if (address !== null && !isAllowedDomain(settings, address)) {
    throw ACCOUNTS_ERRORS.forbidden('this organisation does not accept sign-in from this e-mail domain')
  }
}

function requireWelcome(member: Member): void {
  if (member.state !== 'active') throw ACCOUNTS_ERRORS.forbidden('this member was deactivated')
  if (member.role === 'owner') {
    throw ACCOUNTS_ERRORS.account_link_required('an owner signs in with a key or by mail, not through the provider')
  }
}

/** A provider that uses two ids for one address has reassigned it to another person. */
async function requireUnpinned(tx: Transaction, provider: string, member: Member): Promise<void> {
  const other = await tx.em.findOne(ExternalIdentityEntity, { provider, memberId: member.id })
  if (other === null) return
  throw ACCOUNTS_ERRORS.account_link_required('this address belongs to another person of the identity provider')
}

/**
 * The provider's groups decide when the tenant has group roles. A person in none of them has the default role, since
 * many providers omit empty values; but for a person known to SCIM, groups that are not listed here are SCIM's.
 */
async function bindRole(tx: Transaction, op: Operation, member: Member, vouched: Vouched): Promise<void> {
  const { groups, settings } = vouched
  if (Object.keys(settings.groupRoles).length === 0) return
  if (groups === null && (member.scim ?? null) !== null) return
  await setRole(tx, op, { memberId: member.id, role: roleOfGroups(settings, groups ?? []) })
}
