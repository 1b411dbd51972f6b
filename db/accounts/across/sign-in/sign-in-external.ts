import { sql } from 'kysely'
import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import type { ExternalProfile, OAuthProviderId } from '../../../../core/accounts/sign-in/oauth/provider.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import { recordAudit } from '../../../ledger/audit/record-audit.ts'
import type { Database } from '../../../kernel/database.ts'
import { ACCESS, type Operation } from '../../../kernel/operation.ts'
import { openSessionIn, type OpenedSession } from '../../sessions/open-session.ts'
import { lockEmail } from '../../tenants/lock-email.ts'
import { createTenant } from '../sign-up/create-tenant.ts'
import { normalizeEmail } from '../../tenants/verification/email-address.ts'
import { service, type ServiceTransaction } from '../../../kernel/queries/service.ts'
import type { Transaction } from '../../../kernel/transaction.ts'

/** A person authenticated by an external provider. */
export interface SignInExternalInput {
  readonly provider: OAuthProviderId
  readonly profile: ExternalProfile
  /** New tenants are made by invitation only. */
  readonly isInviteOnly: boolean
  readonly requestId: string
  readonly ip: string
  readonly userAgent?: string | undefined
  readonly limits: Limits
  readonly now: () => Date
}

/** The member who signed in. */
export interface ExternalSignIn {
  readonly tenantId: string
  readonly session: OpenedSession
  /** True when a tenant was created for them. */
  readonly isNew: boolean
}

interface Found {
  readonly tenantId: string
  readonly memberId: string
}

/**
 * Signs in a person authenticated by an external provider. A known person is found by the provider's own id for them.
 * Any other joins the tenant that has their address, if that address is verified here too: the creator of an account
 * with an unverified address may still hold its key. Otherwise the person gets a tenant of their own, without a key,
 * also after being removed from an organisation. Throws `email_unverified`, `account_link_required` when another person
 * of the provider is known under the address, `signup_disabled`, and `forbidden` when the address still belongs to an
 * organisation that has removed the person.
 */
export async function signInExternal(db: Database, input: SignInExternalInput): Promise<ExternalSignIn> {
  const { profile, requestId, now } = input
  if (profile.verifiedEmail === null) {
    throw ACCOUNTS_ERRORS.email_unverified('the provider has not verified your e-mail address')
  }
  const email = normalizeEmail(profile.verifiedEmail)
  return await service.write(db, 'a provider names a person, and that their tenant', async (tx) => {
    await lockEmail(tx, email)
    const known = (await findKnown(tx, input)) ?? (await joinByAddress(tx, db, input, email))
    const found = known ?? (await makeTenant(tx, db, input, email))
    const { tenantId, memberId } = found
    const actor = { kind: 'anonymous' } as const
    const op: Operation = { ...ACCESS, db, tenantId, actor, scopes: null, requestId, now }
    const { ip, userAgent, limits } = input
    const session = await service.forTenant(
      tx,
      tenantId,
      async () => await openSessionIn(tx, op, { keyId: null, memberId, authMethod: 'oauth', ip, userAgent, limits }),
    )
    return { tenantId, session, isNew: known === null }
  })
}

/** Returns the member to whom the provider's id for this person is pinned. */
async function findKnown(tx: Transaction, input: SignInExternalInput): Promise<Found | null> {
  const { provider, profile } = input
  const [row] = await tx.read((q) =>
    q
      .selectFrom('external_identities as i')
      .innerJoin('members as m', 'm.id', 'i.member_id')
      .innerJoin('tenants as t', 't.id', 'i.tenant_id')
      .select([
        'i.tenant_id as tenantId',
        'i.member_id as memberId',
        'm.state',
        sql<boolean>`t.deleted_at is not null`.as('isDeleted'),
      ])
      .where('i.provider', '=', provider)
      .where('i.subject', '=', profile.subject)
      .forUpdate('i'),
  )
  if (row === undefined) return null
  if (row.isDeleted || row.state !== 'active') {
    // The account is deleted, or they were removed from it; they may sign up again like any new person.
    await tx.q
      .deleteFrom('external_identities')
      .where('provider', '=', provider)
      .where('subject', '=', profile.subject)
      .execute()
    return null
  }
  await tx.q
    .updateTable('external_identities')
    .set({ last_used_at: input.now() })
    .where('provider', '=', provider)
    .where('subject', '=', profile.subject)
    .execute()
  return { tenantId: row.tenantId, memberId: row.memberId }
}

async function joinByAddress(
  tx: Transaction,
  db: Database,
  input: SignInExternalInput,
  email: string,
): Promise<Found | null> {
  const [row] = await tx.read((q) =>
    q
      .selectFrom('tenants as t')
      .innerJoin('members as m', (on) => on.onRef('m.tenant_id', '=', 't.id').onRef('m.email', '=', 't.email'))
      .select(['t.id as tenantId', 'm.id as memberId', 'm.state'])
      .where('t.email', '=', email)
      .where('t.is_email_verified', '=', true)
      .where('t.kind', '=', 'user')
      .where('t.deleted_at', 'is', null),
  )
  if (row === undefined) return null
  if (row.state !== 'active') throw ACCOUNTS_ERRORS.forbidden('this member was removed from the organisation')
  const others = await tx.read((q) =>
    q
      .selectFrom('external_identities')
      .select('subject')
      .where('provider', '=', input.provider)
      .where('member_id', '=', row.memberId)
      .limit(1),
  )
  if (others.length > 0) {
    throw ACCOUNTS_ERRORS.account_link_required('another account of this provider is linked to this address')
  }
  await link(tx, db, input, row, email)
  return { tenantId: row.tenantId, memberId: row.memberId }
}

async function makeTenant(
  tx: ServiceTransaction,
  db: Database,
  input: SignInExternalInput,
  email: string,
): Promise<Found> {
  if (input.isInviteOnly) throw ACCOUNTS_ERRORS.signup_disabled('sign-up is by invitation only')
  const { tenant, memberId } = await createTenant(tx, db, {
    kind: 'user',
    email,
    isEmailVerified: true,
    name: input.profile.displayName ?? undefined,
    pendingPlan: null,
    quotaOverride: null,
    expiresAt: null,
    key: null,
    actor: { kind: 'anonymous' },
    requestId: input.requestId,
    now: input.now(),
  })
  if (memberId === null) throw new Error('a tenant with an address has no owner')
  await tx.q
    .updateTable('members')
    .set({ source: 'oauth', display_name: input.profile.displayName?.slice(0, 200) ?? null })
    .where('id', '=', memberId)
    .execute()
  const found = { tenantId: tenant.id, memberId }
  await link(tx, db, input, found, email)
  return found
}

async function link(
  tx: Transaction,
  db: Database,
  input: SignInExternalInput,
  { tenantId, memberId }: Found,
  email: string,
): Promise<void> {
  const { provider, profile, requestId, now } = input
  const at = now()
  await tx.q
    .insertInto('external_identities')
    .values({
      provider,
      subject: profile.subject,
      tenant_id: tenantId,
      member_id: memberId,
      email,
      created_at: at,
      last_used_at: at,
    })
    .execute()
  const op = { db, tenantId, actor: { kind: 'anonymous' } as const, requestId, now }
  await recordAudit(tx, op, { action: 'identity.linked', target: memberId, payload: { provider } })
}
