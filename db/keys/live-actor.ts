import { DomainError } from '../../core/errors.ts'
import type { Operation } from '../operation.ts'
import { lockInTransaction, type Transaction } from '../transaction.ts'

/**
 * Holds the keys of a tenant until the transaction ends: of two calls that make keys at once the second sees what the
 * first did.
 */
export async function lockKeys(tx: Transaction, tenantId: string): Promise<void> {
  await lockInTransaction(tx, `keys ${tenantId}`)
}

/**
 * Refuses a caller whose key or session ended while the call waited for the keys: a key that was just rotated away, by
 * whoever found it stolen, must not make another one. Throws `invalid_credential` and `session_expired`.
 */
export async function requireLiveActor(tx: Transaction, op: Operation): Promise<void> {
  const { actor } = op
  if (actor.kind === 'key') {
    const live = await tx.query('select 1 from api_keys where id = $1 and revoked_at is null', [actor.keyId])
    if (live.length === 0) throw new DomainError('invalid_credential', 'the API key is not valid')
  }
  if (actor.kind === 'session') {
    const live = await tx.query('select 1 from sessions where id = $1 and closed_at is null', [actor.sessionId])
    if (live.length === 0) throw new DomainError('session_expired', 'the session has ended; sign in again')
  }
}
