import type { Limits } from '../../../core/kernel/limits.ts'
import type { Database, SqlRunner } from '../../kernel/database.ts'
import { confirmLink } from '../tenants/verification/confirm-link.ts'
import { normalizeEmail } from '../tenants/verification/email-address.ts'
import { inTransaction } from '../../kernel/transaction.ts'
import { takeMailToAddress } from './address-limit.ts'
import { enqueueMail, pretendToEnqueue } from './enqueue-mail.ts'
import { insertMailToken, newMailToken } from './mail-tokens.ts'

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
  await inTransaction(db, null, async (tx) => {
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
async function findMember(sql: SqlRunner, email: string, org: string | null): Promise<Addressee | null> {
  const [row] = await sql.query<Addressee>(
    `select m.tenant_id as "tenantId", t.name, m.id as "memberId"
     from members m join tenants t on t.id = m.tenant_id
     where m.email = $1 and m.state = 'active' and m.is_email_verified
       and (m.source in ('signup', 'invitation', 'oauth') or m.role = 'owner')
       and t.kind = 'user' and t.deleted_at is null and ($2::text is null or $2 in (t.id, t.name))
     order by coalesce(t.email = $1, false) desc, m.created_at limit 1`,
    [email, org],
  )
  return row ?? null
}

/** The tenant of an address, the verified one first: recovering ends everything that its maker may hold. */
async function findOwned(sql: SqlRunner, email: string, org: string | null): Promise<Addressee | null> {
  const [row] = await sql.query<Addressee>(
    `select id as "tenantId", name, null as "memberId" from tenants
     where email = $1 and kind = 'user' and deleted_at is null and ($2::text is null or $2 in (id, name))
     order by is_email_verified desc, created_at limit 1`,
    [email, org],
  )
  return row ?? null
}
