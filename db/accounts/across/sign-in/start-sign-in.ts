import { sql } from 'kysely'
import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { confirmLink } from '../../tenants/verification/confirm-link.ts'
import { normalizeEmail } from '../../tenants/verification/email-address.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { takeMailToAddress } from '../../mails/address-limit.ts'
import { enqueueMail, pretendToEnqueue } from '../../mails/enqueue-mail.ts'
import { insertMailToken, newMailToken } from '../../mails/mail-tokens.ts'

/** The person to sign in by mail, and the purpose. */
export interface StartMailSignInInput {
  readonly email: string
  /** A session, or a new key in place of all others. */
  readonly mode: 'sign_in' | 'recover'
  /** Id or name of the tenant to sign in to, for an address with several. */
  readonly org?: string | undefined
  /** Page to open afterwards. */
  readonly returnTo: string
  /** Address of the service. */
  readonly linksTo: string
  readonly limits: Limits
  readonly now: Date
}

interface Addressee {
  readonly tenantId: string
  /** Name of the tenant. */
  readonly name: string
  readonly memberId: string | null
}

const MINUTE_MS = 60_000

/**
 * Mails a sign-in link to an address, if it has an account. Neither the answer nor its duration reveals whether it has
 * one; an address that got too many mails gets none, without an error. Throws `validation_failed` for a text that is no
 * address.
 */
export async function startMailSignIn(db: Database, input: StartMailSignInInput): Promise<void> {
  const { mode, limits, now, org = null } = input
  const email = normalizeEmail(input.email)
  const { isAllowed } = await takeMailToAddress(db, { kind: 'way_in', email, limits })
  const token = newMailToken()
  const expiresAt = new Date(now.getTime() + limits.mail_token_minutes * MINUTE_MS)
  await service.write(db, 'an address names the member who signs in', async (tx) => {
    const found = mode === 'sign_in' ? await findMember(tx, email, org) : await findOwned(tx, email, org)
    const tenantId = found?.tenantId ?? null
    await insertMailToken(tx, token, {
      purpose: mode,
      tenantId,
      email,
      payload: { member_id: found?.memberId ?? null, return_to: input.returnTo },
      expiresAt,
      now,
    })
    const post = found !== null && isAllowed ? enqueueMail : pretendToEnqueue
    await post(tx, db, {
      template: mode,
      to: email,
      tenantId,
      params: {
        workspace: found?.name ?? '',
        link: confirmLink(input.linksTo, token),
        expires_at: expiresAt.toISOString(),
      },
      now,
    })
  })
}

/**
 * Finds the member whom a mailed link signs in. The address must be verified, since the creator of an account with an
 * unverified address may still hold its key. Members of an identity provider come back through it, except owners, whom
 * providers cannot sign in. Of several tenants it is the requested one, else the person's own, else the one with the
 * longest membership.
 */
async function findMember(tx: Transaction, email: string, org: string | null): Promise<Addressee | null> {
  const [row] = await tx.read((q) =>
    q
      .selectFrom('members as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select(['m.tenant_id as tenantId', 't.name', 'm.id as memberId'])
      .where('m.email', '=', email)
      .where('m.state', '=', 'active')
      .where('m.is_email_verified', '=', true)
      .where((of) => of.or([of('m.source', 'in', ['signup', 'invitation', 'oauth']), of('m.role', '=', 'owner')]))
      .where('t.kind', '=', 'user')
      .where('t.deleted_at', 'is', null)
      .$if(org !== null, (all) => all.where((of) => of.or([of('t.id', '=', org), of('t.name', '=', org)])))
      .orderBy(sql`coalesce(t.email = ${email}, false)`, 'desc')
      .orderBy('m.created_at')
      .limit(1),
  )
  return row ?? null
}

/** Returns the tenant of an address, verified ones first: recovering ends all credentials that its creator may hold. */
async function findOwned(tx: Transaction, email: string, org: string | null): Promise<Addressee | null> {
  const [row] = await tx.read((q) =>
    q
      .selectFrom('tenants')
      .select(['id as tenantId', 'name'])
      .where('email', '=', email)
      .where('kind', '=', 'user')
      .where('deleted_at', 'is', null)
      .$if(org !== null, (all) => all.where((of) => of.or([of('id', '=', org), of('name', '=', org)])))
      .orderBy('is_email_verified', 'desc')
      .orderBy('created_at')
      .limit(1),
  )
  return row === undefined ? null : { ...row, memberId: null }
}
