import { createHash, randomBytes } from 'node:crypto'
import { ACCOUNTS_ERRORS } from '../../../core/accounts/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { Reader } from '../../kernel/queries/read.ts'
import { json } from '../../kernel/queries/typed.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** Purpose of a mailed token. */
export type MailTokenPurpose = 'verify' | 'sign_in' | 'recover' | 'claim'

/** The mail of a token. */
export interface UsedMailToken {
  readonly purpose: MailTokenPurpose
  readonly tenantId: string | null
  readonly email: string
  readonly payload: JsonObject
}

/** A token for an address. */
export interface NewMailToken {
  readonly purpose: MailTokenPurpose
  readonly tenantId: string | null
  readonly email: string
  readonly payload?: JsonObject
  readonly expiresAt: Date
  readonly now: Date
}

const USED = ['purpose', 'tenant_id as tenantId', 'email', 'payload'] as const

/** Returns a token that goes into a link: 256 random bits. */
export function newMailToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Stores the SHA-256 of a token that will be mailed. */
export async function insertMailToken(tx: Transaction, token: string, input: NewMailToken): Promise<void> {
  await tx.em.flush()
  await tx.q
    .insertInto('mail_tokens')
    .values({
      token_hash: hashOf(token),
      purpose: input.purpose,
      tenant_id: input.tenantId,
      email: input.email,
      payload: json(input.payload ?? {}),
      created_at: input.now,
      expires_at: input.expiresAt,
    })
    .execute()
}

/** Returns the purpose of a token without using it; null for an invalid one. */
export async function peekMailToken(from: Reader, token: string, now: Date): Promise<UsedMailToken | null> {
  const [row] = await from.read((q) =>
    q
      .selectFrom('mail_tokens')
      .select(USED)
      .where('token_hash', '=', hashOf(token))
      .where('used_at', 'is', null)
      .where('expires_at', '>', now),
  )
  return row ?? null
}

/**
 * Uses a token, once: of two concurrent uses one succeeds. Throws `token_expired` for an expired one and
 * `invalid_token` for any other that cannot be used.
 */
export async function consumeMailToken(tx: Transaction, token: string, now: Date): Promise<UsedMailToken> {
  const hash = hashOf(token)
  const row = await tx.q
    .updateTable('mail_tokens')
    .set({ used_at: now })
    .where('token_hash', '=', hash)
    .where('used_at', 'is', null)
    .where('expires_at', '>', now)
    .returning(USED)
    .executeTakeFirst()
  if (row !== undefined) return row
  const [late] = await tx.read((q) =>
    q.selectFrom('mail_tokens').select('purpose').where('token_hash', '=', hash).where('used_at', 'is', null),
  )
  if (late !== undefined) throw ACCOUNTS_ERRORS.token_expired('the link has expired; request a new one')
  throw ACCOUNTS_ERRORS.invalid_token('this link is not valid; request a new one')
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
