import { randomBytes } from 'node:crypto'
import { newId } from '../../core/ids.ts'
import type { Limits } from '../../core/tenancy/limits.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Operation } from '../operation.ts'
import { inTransaction } from '../transaction.ts'
import { hashToken } from './session-token.ts'
import { SessionEntity } from './session.ts'

const DAY_MS = 86_400_000

/**
 * Opens a session of the key that the caller has proved. Answers its value (256 random bits, for the cookie), of which
 * only the SHA-256 is kept.
 */
export async function openSession(
  op: Operation,
  input: { readonly keyId: string; readonly limits: Limits },
): Promise<{ readonly token: string; readonly sessionId: string; readonly expiresAt: Date }> {
  const now = op.now()
  const token = randomBytes(32).toString('base64url')
  const sessionId = newId('ses')
  const endsAt = new Date(now.getTime() + input.limits.session_absolute_days * DAY_MS)
  const expiresAt = new Date(Math.min(now.getTime() + input.limits.session_days * DAY_MS, endsAt.getTime()))
  await inTransaction(op.db, op.tenantId, async (tx) => {
    tx.em.create(SessionEntity, {
      id: sessionId,
      tenantId: op.tenantId,
      tokenHash: hashToken(token),
      sourceKeyId: input.keyId,
      createdAt: now,
      lastSeenAt: now,
      expiresAt,
      endsAt,
    })
    await recordAudit(tx, op, { action: 'session.opened', target: sessionId, payload: { key_id: input.keyId } })
  })
  return { token, sessionId, expiresAt }
}
