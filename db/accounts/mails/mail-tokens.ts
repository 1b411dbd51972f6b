import { createHash, randomBytes } from 'node:crypto'
import { DomainError } from '../../../core/kernel/errors.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'
import type { SqlRunner } from '../../kernel/database.ts'
import type { Transaction } from '../../kernel/transaction.ts'

/** What a mailed token proves. */
export type MailTokenPurpose = 'verify' | 'sign_in' | 'recover' | 'claim'

/** What was mailed, as its token tells. */
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

/** A token that goes into a link: 256 random bits. */
export function newMailToken(): string {
  return randomBytes(32).toString('base64url')
}

/** Keeps the SHA-256 of a token that is to be mailed. */
export async function insertMailToken(tx: Transaction, token: string, input: NewMailToken): Promise<void> {
  await tx.em.flush()
  await tx.query(
    `insert into mail_tokens (token_hash, purpose, tenant_id, email, payload, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      hashOf(token),
      input.purpose,
      input.tenantId,
      input.email,
      JSON.stringify(input.payload ?? {}),
      input.now,
      input.expiresAt,
    ],
  )
}

/** What a token was mailed for, without using it; null for one that cannot be used. */
export async function peekMailToken(sql: SqlRunner, token: string, now: Date): Promise<UsedMailToken | null> {
  const [row] = await sql.query<UsedMailToken>(
    `select purpose, tenant_id as "tenantId", email, payload from mail_tokens
     where token_hash = $1 and used_at is null and expires_at > $2`,
    [hashOf(token), now],
  )
  return row ?? null
}

/**
 * Uses a token, once: of two who show it at the same time one gets it. Throws `token_expired` for one that came too
 * late and `invalid_token` for any other that cannot be used.
 */
export async function consumeMailToken(tx: Transaction, token: string, now: Date): Promise<UsedMailToken> {
  const hash = hashOf(token)
  const [row] = await tx.query<UsedMailToken>(
    `update mail_tokens set used_at = $2 where token_hash = $1 and used_at is null and expires_at > $2
     returning purpose, tenant_id as "tenantId", email, payload`,
    [hash, now],
  )
  if (row !== undefined) return row
  const late = await tx.query('select 1 from mail_tokens where token_hash = $1 and used_at is null', [hash])
  if (late.length > 0) throw new DomainError('token_expired', 'the link has expired; ask for a new one')
  throw new DomainError('invalid_token', 'this is no link that can be used; ask for a new one')
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
