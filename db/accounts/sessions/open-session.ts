import { randomBytes } from 'node:crypto'
import { newId } from '../../../core/kernel/ids.ts'
import type { Limits } from '../../../core/accounts/limits.ts'
import { recordAudit } from '../../ledger/audit/record-audit.ts'
import type { Operation } from '../../kernel/operation.ts'
import type { Transaction } from '../../kernel/transaction.ts'
import { hashToken } from './session-token.ts'
import { SessionEntity } from './session.ts'
import type { AuthMethod } from '../../../core/accounts/auth-methods.ts'

const DAY_MS = 86_400_000
const MOST_USER_AGENT = 300

/** The session's member or key, and the proof of identity. */
export interface OpenSessionInput {
  /** The key whose rights it has; null for a session with the rights of its member's role. */
  readonly keyId: string | null
  readonly memberId: string | null
  readonly authMethod: AuthMethod
  readonly ip?: string | undefined
  readonly userAgent?: string | undefined
  readonly limits: Limits
}

/** A new session; its value goes into the cookie and is not stored. */
export interface OpenedSession {
  readonly token: string
  readonly sessionId: string
  readonly expiresAt: Date
}

/**
 * Opens a session for an authenticated caller. Returns its value (256 random bits, for the cookie), of which only the
 * SHA-256 is stored.
 */
export async function openSession(op: Operation, input: OpenSessionInput): Promise<OpenedSession> {
  return await op.write(async (tx) => await openSessionIn(tx, op, input))
}

/** The same in the transaction of the authentication, such as the use of a token. */
export async function openSessionIn(tx: Transaction, op: Operation, input: OpenSessionInput): Promise<OpenedSession> {
  const now = op.now()
  const token = randomBytes(32).toString('base64url')
  const sessionId = newId('ses')
  const endsAt = new Date(now.getTime() + input.limits.session_absolute_days * DAY_MS)
  const expiresAt = new Date(Math.min(now.getTime() + input.limits.session_days * DAY_MS, endsAt.getTime()))
  tx.em.create(SessionEntity, {
    id: sessionId,
    tenantId: op.tenantId,
    tokenHash: hashToken(token),
    sourceKeyId: input.keyId,
    memberId: input.memberId,
    authMethod: input.authMethod,
    ip: input.ip ?? null,
    userAgent: input.userAgent?.slice(0, MOST_USER_AGENT) ?? null,
    createdAt: now,
    lastSeenAt: now,
    expiresAt,
    endsAt,
  })
  await recordAudit(tx, op, {
    action: 'session.opened',
    target: sessionId,
    payload: { key_id: input.keyId, member_id: input.memberId, auth_method: input.authMethod },
  })
  return { token, sessionId, expiresAt }
}
