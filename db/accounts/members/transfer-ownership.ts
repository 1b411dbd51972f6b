import { isVerifiedByOthers } from '../across/of-others.ts'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import { requireScope, type Operation } from '../../kernel/operation.ts'
import { requireOrgRole } from '../orgs/org-access.ts'
import { endSsoSessions } from '../sso/end-sso-sessions.ts'
import { lockEmail } from '../tenants/lock-email.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { lockSeats } from './lock-seats.ts'
import { setRole } from './set-role.ts'

/**
 * Makes another member the owner; the previous one becomes an admin. The owner's credentials move along: the account's
 * address becomes the new owner's, so that key resets are mailed there, and the primary key ends, since the previous
 * owner knows it. Sessions that the organisation's provider opened for the new owner end. Throws `not_found`,
 * `forbidden`, and `email_exists` when the new owner's address has another account.
 */
export async function transferOwnership(
  op: Operation,
  input: { readonly orgId: string; readonly callerId: string | null; readonly memberId: string },
): Promise<void> {
  requireScope(op, 'team:admin')
  const { orgId, callerId, memberId } = input
  await op.write(async (tx) => {
    await lockAccount(tx, op, memberId)
    await requireOrgRole(tx, op, { orgId, callerId, role: 'owner' })
    const heir = await findHeir(tx, op, memberId)
    if (callerId === null || heir.id === callerId) return
    await takeAddress(tx, op, heir.email)
    await setRole(tx, op, { memberId: heir.id, role: 'owner' })
    await setRole(tx, op, { memberId: callerId, role: 'admin' })
    // Admins choose the provider, and must not end up with an owner's session.
    await endSsoSessions(tx, op, { protocols: ['saml', 'oidc'], memberId: heir.id })
    await recordAudit(tx, op, {
      action: 'org.owner_transferred',
      target: orgId,
      payload: { from: callerId, to: heir.id },
    })
  })
}

interface Heir {
  readonly id: string
  readonly email: string
}

async function findHeir(tx: Transaction, op: Operation, memberId: string): Promise<Heir> {
  const [heir] = await tx.read((q) =>
    q
      .selectFrom('members')
      .select(['id', 'email', 'is_email_verified as isEmailVerified'])
      .where('id', '=', memberId)
      .where('tenant_id', '=', op.tenantId)
      .where('state', '=', 'active'),
  )
  if (heir === undefined) throw KERNEL_ERRORS.not_found('no such member')
  if (!heir.isEmailVerified) {
    throw ACCOUNTS_ERRORS.forbidden('the new owner needs a verified e-mail address, since key resets are mailed there')
  }
  return heir
}

/** The address, the account's row and the members, in the order of all locks: so the address is looked up before them. */
async function lockAccount(tx: Transaction, op: Operation, memberId: string): Promise<void> {
  const emailOf = async () => {
    const [member] = await tx.read((q) =>
      q.selectFrom('members').select('email').where('id', '=', memberId).where('tenant_id', '=', op.tenantId),
    )
    return member?.email
  }
  const email = await emailOf()
  if (email !== undefined) await lockEmail(tx, email)
  await tx.q.selectFrom('tenants').select('id').where('id', '=', op.tenantId).forNoKeyUpdate().execute()
  await lockSeats(tx, op.tenantId)
  if ((await emailOf()) === email) return
  throw ACCOUNTS_ERRORS.forbidden('the address of the new owner has just changed and is not verified yet')
}

async function takeAddress(tx: Transaction, op: Operation, email: string): Promise<void> {
  if (await isVerifiedByOthers(tx, { tenantId: op.tenantId, email })) {
    throw ACCOUNTS_ERRORS.email_exists('the new owner has an account of their own with this address')
  }
  await tx.q.updateTable('tenants').set({ email, is_email_verified: true }).where('id', '=', op.tenantId).execute()
}
