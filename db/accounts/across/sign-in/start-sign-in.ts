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

/** Who wants to come in by mail, and what for. */
export interface StartMailSignInInput {
  readonly email: string
  /** A session, or a new key in place of all others. */
  readonly mode: 'sign_in' | 'recover'
  /** Id or name of the tenant that is meant, for an address that is in several. */
  readonly org?: string | undefined
  /** Where the page goes afterwards. */
  readonly returnTo: string
  /** Address of the service. */
  readonly linksTo: string
  readonly limits: Limits
  readonly now: Date
}

interface Addressee {
  readonly tenantId: string
  /** What the tenant is called. */
  readonly name: string
  readonly memberId: string | null
}

const MINUTE_MS = 60_000

/**
 * Mails a link to whoever reads the mail of an address, if it has an account. Neither the answer nor the time it takes
 * tells whether it has one; an address that got too many mails gets none and no error either. Throws
 * `validation_failed` for a text that is no address.
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
 * The member whom a mail lets in: only one whose address is verified, since whoever made an account with an address
 * that nobody verified may still hold its key. Those who came through an identity provider come back through it, unless
 * they are owners, whom no provider lets in. Of several tenants it is the one that is meant, else the person's own, else
 * the one where they are longest.
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

/** The tenant of an address, the verified one first: recovering ends everything that its maker may hold. */
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
