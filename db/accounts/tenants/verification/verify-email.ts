import { isVerifiedByOthers } from '../../across/of-others.ts'
import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import { KERNEL_ERRORS, invalidField } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { takeMailToAddress, type MailToAddress } from '../../mails/address-limit.ts'
import { enqueueMail } from '../../mails/enqueue-mail.ts'
import { insertMailToken, newMailToken, type UsedMailToken } from '../../mails/mail-tokens.ts'
import type { Operation } from '../../../kernel/operation.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { confirmLink } from './confirm-link.ts'
import { lockEmail } from '../lock-email.ts'
import { findTenant } from '../../../kernel/tenant/find-tenant.ts'
import type { Tenant } from '../../../kernel/tenant/tenant.ts'

const HOUR_MS = 3_600_000

/**
 * Returns the base of the links in a mail that verifies a new tenant's address; null when none is sent, since there is
 * no mail server or the address got too many: making tenants must not flood a stranger's mailbox. It counts as sent.
 */
export async function linksOfVerification(
  db: Database,
  input: {
    readonly mailLinksTo?: string | undefined
    readonly email: string
    readonly kind: MailToAddress
    readonly limits: Limits
  },
): Promise<string | null> {
  const { mailLinksTo, email, kind, limits } = input
  if (mailLinksTo === undefined) return null
  const { isAllowed } = await takeMailToAddress(db, { kind, email, limits })
  return isAllowed ? mailLinksTo : null
}

/** Sends the mail that verifies a tenant's address. */
export async function enqueueVerification(
  tx: Transaction,
  db: Database,
  input: {
    readonly tenant: Pick<Tenant, 'id' | 'name'>
    readonly email: string
    /** Address of the service. */
    readonly linksTo: string
    readonly limits: Limits
    readonly now: Date
  },
): Promise<void> {
  const { tenant, email, now, limits } = input
  const token = newMailToken()
  const expiresAt = new Date(now.getTime() + limits.verify_token_hours * HOUR_MS)
  await insertMailToken(tx, token, { purpose: 'verify', tenantId: tenant.id, email, expiresAt, now })
  await enqueueMail(tx, db, {
    template: 'verify',
    to: email,
    tenantId: tenant.id,
    params: {
      workspace: tenant.name,
      link: confirmLink(input.linksTo, token),
      expires_at: expiresAt.toISOString(),
    },
    now,
  })
}

/**
 * Notifies the owner of a verified address of a sign-up with it. Writes the same rows as `enqueueVerification`, with a
 * token that opens nothing, so that the duration of a sign-up does not distinguish the two.
 */
export async function enqueueAddressInUse(
  tx: Transaction,
  db: Database,
  input: {
    readonly owner: { readonly tenantId: string; readonly name: string }
    readonly email: string
    readonly linksTo: string
    readonly now: Date
  },
): Promise<void> {
  const { owner, email, linksTo, now } = input
  await insertMailToken(tx, newMailToken(), { purpose: 'verify', tenantId: null, email, expiresAt: now, now })
  await enqueueMail(tx, db, {
    template: 'address_in_use',
    to: email,
    tenantId: owner.tenantId,
    params: { workspace: owner.name, link: `${linksTo}/` },
    now,
  })
}

/**
 * Sends that mail once more. Returns the address; `isVerified` when no mail was sent because it is verified already.
 * Throws `validation_failed` for a tenant without an address, and `rate_limited` when the address got too many.
 */
export async function requestVerification(
  op: Operation,
  input: { readonly linksTo: string; readonly limits: Limits },
): Promise<{ readonly email: string; readonly isVerified: boolean }> {
  const tenant = await findTenant(op.db, op.tenantId)
  const { email } = tenant ?? {}
  if (tenant === null || email === null || email === undefined) {
    throw invalidField('email', 'the workspace has no e-mail address; sign up first')
  }
  if (tenant.isEmailVerified) return { email, isVerified: true }
  const { isAllowed, resetMs } = await takeMailToAddress(op.db, { kind: 'notice', email, limits: input.limits })
  if (!isAllowed) {
    const retryAfterS = Math.max(1, Math.ceil(resetMs / 1000))
    throw KERNEL_ERRORS.rate_limited('too many mails were sent to this address; try again later', { retryAfterS })
  }
  await op.write(async (tx) => {
    await enqueueVerification(tx, op.db, { tenant, email, ...input, now: op.now() })
    await recordAudit(tx, op, { action: 'email.verification_requested', target: op.tenantId, payload: {} })
  })
  return { email, isVerified: false }
}

/**
 * Marks the address of a token's tenant as verified: of the tenant, and of its member. Throws `email_exists` when
 * another tenant verified it first, and `invalid_token` when the tenant has another address by now.
 */
export async function markVerified(tx: Transaction, op: Operation, token: UsedMailToken): Promise<void> {
  await lockEmail(tx, token.email)
  if (await isVerifiedByOthers(tx, { tenantId: op.tenantId, email: token.email })) {
    throw ACCOUNTS_ERRORS.email_exists('another account now has this address')
  }
  const tenant = await tx.q
    .updateTable('tenants as t')
    .from('tenants as before')
    .set({ is_email_verified: true })
    .where('t.id', '=', op.tenantId)
    .whereRef('before.id', '=', 't.id')
    .where('t.email', '=', token.email)
    .where('t.deleted_at', 'is', null)
    .returning('before.is_email_verified as before')
    .executeTakeFirst()
  if (tenant === undefined)
    throw ACCOUNTS_ERRORS.invalid_token('the e-mail address of the account has changed; request a new link')
  await tx.q
    .updateTable('members')
    .set({ is_email_verified: true, updated_at: op.now() })
    .where('tenant_id', '=', op.tenantId)
    .where('email', '=', token.email)
    .where('is_email_verified', '=', false)
    .execute()
  if (!tenant.before) await recordAudit(tx, op, { action: 'email.verified', target: op.tenantId, payload: {} })
}
