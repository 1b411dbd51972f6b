import { z } from 'zod'
import { ACCOUNTS_ERRORS } from '../../../../core/accounts/errors.ts'
import type { DomainError } from '../../../../core/kernel/errors.ts'
import type { Limits } from '../../../../core/accounts/limits.ts'
import type { Database } from '../../../kernel/database.ts'
import { mintKey } from '../../keys/key-text.ts'
import { consumeMailToken, peekMailToken, type UsedMailToken } from '../../mails/mail-tokens.ts'
import { ACCESS, tenantOf, type Operation } from '../../../kernel/operation.ts'
import { openSessionIn, type OpenedSession } from '../../sessions/open-session.ts'
import { service } from '../../../kernel/queries/service.ts'
import type { Transaction } from '../../../kernel/transaction.ts'
import { recoverTenant } from '../../tenants/recover.ts'
import { markVerified } from '../../tenants/verification/verify-email.ts'

/** Result of using a mailed token. */
export interface ConfirmedMail {
  readonly did: 'verified' | 'signed_in' | 'recovered'
  readonly tenantId: string
  /** Null when the token verified an address: that signs no user in. */
  readonly session: OpenedSession | null
  /** The new key of a recovered tenant, shown only here. */
  readonly apiKey: string | null
  readonly returnTo: string
}

/** The presented token and the caller's origin. */
export interface ConfirmMailInput {
  readonly token: string
  readonly requestId: string
  readonly ip: string
  readonly userAgent?: string | undefined
  readonly limits: Limits
  readonly now: () => Date
}

const WHY = 'a mailed token names its tenant'

const Payload = z.object({
  member_id: z.string().nullish(),
  return_to: z.string().default('/'),
})

/**
 * Uses a mailed token: verifies the address, signs its reader in, or issues a new key in place of all others. Throws
 * `invalid_token`, `token_expired`, and `email_exists` when another tenant has verified the address meanwhile.
 */
export async function confirmMail(db: Database, input: ConfirmMailInput): Promise<ConfirmedMail> {
  const { token, requestId, now } = input
  // Hashing a key is slow, so it happens outside the transaction.
  const peeked = await peekMailToken(service.reader(db, WHY), token, now())
  const minted = peeked?.purpose === 'recover' ? await mintKey(db.hashSlots, 'ks') : null
  const confirm = async (tx: Transaction): Promise<ConfirmedMail> => {
    const used = await consumeMailToken(tx, token, now())
    const { tenantId, purpose } = used
    if (tenantId === null) throw unusable()
    const actor = { kind: 'anonymous' } as const
    const op: Operation = { ...ACCESS, db, tenantId, actor, scopes: null, requestId, now }
    const { return_to: returnTo, member_id: memberId } = Payload.parse(used.payload)
    const enter = async (memberIdOf: string, keyId: string | null): Promise<OpenedSession> =>
      await openSessionIn(tx, op, {
        keyId,
        memberId: memberIdOf,
        authMethod: 'mail',
        ip: input.ip,
        userAgent: input.userAgent,
        limits: input.limits,
      })
    switch (purpose) {
      case 'verify':
        await markVerified(tx, op, used)
        return { did: 'verified', tenantId, session: null, apiKey: null, returnTo }
      case 'sign_in': {
        const member = await requireMember(tx, used, memberId ?? '')
        return { did: 'signed_in', tenantId, session: await enter(member, null), apiKey: null, returnTo }
      }
      case 'recover': {
        if (minted === null) throw unusable()
        const { memberId: owner, keyId } = await recoverTenant(tx, op, { token: used, minted })
        const session = await enter(owner, keyId)
        return { did: 'recovered', tenantId, session, apiKey: minted.apiKey, returnTo }
      }
      case 'claim':
        throw unusable()
    }
  }
  const owner = peeked?.tenantId ?? null
  return owner === null ? await service.write(db, WHY, confirm) : await tenantOf(db, owner).write(confirm)
}

/** The member may have been deactivated, or have changed address, while the mail was under way. */
async function requireMember(tx: Transaction, { tenantId, email }: UsedMailToken, memberId: string): Promise<string> {
  const [found] = await tx.read((q) =>
    q
      .selectFrom('members as m')
      .innerJoin('tenants as t', 't.id', 'm.tenant_id')
      .select('m.id')
      .where('m.id', '=', memberId)
      .where('m.tenant_id', '=', tenantId)
      .where('m.email', '=', email)
      .where('m.state', '=', 'active')
      .where('t.deleted_at', 'is', null),
  )
  if (found === undefined) throw unusable()
  return found.id
}

function unusable(): DomainError {
  return ACCOUNTS_ERRORS.invalid_token('this link is not valid; request a new one')
}
