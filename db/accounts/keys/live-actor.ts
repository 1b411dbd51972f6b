import { DomainError } from '../../../core/kernel/errors.ts'
import { scopesOfRole, type Role } from '../../../core/accounts/roles.ts'
import { coversScopes } from '../../../core/kernel/scopes.ts'
import type { Operation } from '../../kernel/operation.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Holds the keys of a tenant until the transaction ends. Whoever makes a key takes it before `requireLiveActor`, and
 * whoever ends keys, or the rights to make them, before looking for what is to end: so no key appears after the look.
 */
export async function lockKeys(tx: Transaction, tenantId: string): Promise<void> {
  await lockInTransaction(tx, `keys ${tenantId}`)
}

/**
 * Refuses a caller whose key, session or role ended while the call waited for the keys: a key that was just rotated
 * away, by whoever found it stolen, must not make another one, and a role that was taken away must not live on in a key.
 * Throws `invalid_credential`, `session_expired` and `insufficient_scope`.
 */
export async function requireLiveActor(tx: Transaction, op: Operation): Promise<void> {
  const { actor } = op
  if (actor.kind === 'key') {
    const live = await tx.query('select 1 from api_keys where id = $1 and revoked_at is null', [actor.keyId])
    if (live.length === 0) throw new DomainError('invalid_credential', 'the API key is not valid')
  }
  if (actor.kind === 'session') await requireLiveSession(tx, op, actor.sessionId)
}

async function requireLiveSession(tx: Transaction, op: Operation, sessionId: string): Promise<void> {
  const [session] = await tx.query<{ keyId: string | null; role: Role | null }>(
    `select s.source_key_id as "keyId", m.role
     from sessions s left join members m on m.id = s.member_id and m.state = 'active'
     where s.id = $1 and s.closed_at is null`,
    [sessionId],
  )
  if (session === undefined) throw new DomainError('session_expired', 'the session has ended; sign in again')
  // What a key opened has the rights of the key, which do not change; what none opened has those of the role.
  if (session.keyId !== null || op.scopes === null) return
  const allowed = session.role === null ? [] : scopesOfRole(session.role)
  if (coversScopes(allowed, op.scopes)) return
  throw new DomainError('insufficient_scope', 'the role that this call was let through for has been taken away')
}
