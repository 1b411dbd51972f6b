import { KERNEL_ERRORS } from '../../../core/kernel/errors.ts'
import { scopesOfRole } from '../../../core/accounts/roles.ts'
import { coversScopes } from '../../../core/kernel/scopes.ts'
import type { Operation } from '../../kernel/operation.ts'
import { notify } from '../../kernel/queries/typed.ts'
import { lockInTransaction, type Transaction } from '../../kernel/transaction.ts'

/**
 * Locks the keys of a tenant until the transaction ends. Making a key takes the lock before `requireLiveActor`; ending
 * keys, or the rights to make them, takes it before reading the keys to end: so no key appears after that read.
 */
export async function lockKeys(tx: Transaction, tenantId: string): Promise<void> {
  await lockInTransaction(tx, `keys ${tenantId}`)
}

/** Makes every process drop its cached results for a key, or for the keys of a member or a tenant, after the commit. */
export async function announceKeys(tx: Transaction, id: string): Promise<void> {
  await tx.q.selectNoFrom(notify('svc_keys', id).as('notified')).execute()
}

/**
 * Refuses a caller whose key, session or role ended while the call waited for the keys: a stolen key that was just
 * rotated away must not make another one, and a revoked role must not live on in a key. Throws `invalid_credential`,
 * `session_expired` and `insufficient_scope`.
 */
export async function requireLiveActor(tx: Transaction, op: Operation): Promise<void> {
  const { actor } = op
  if (actor.kind === 'key') {
    const [live] = await tx.read((q) =>
      q.selectFrom('api_keys').select('id').where('id', '=', actor.keyId).where('revoked_at', 'is', null),
    )
    if (live === undefined) throw KERNEL_ERRORS.invalid_credential('the API key is not valid')
  }
  if (actor.kind === 'session') await requireLiveSession(tx, op, actor.sessionId)
}

async function requireLiveSession(tx: Transaction, op: Operation, sessionId: string): Promise<void> {
  const [session] = await tx.read((q) =>
    q
      .selectFrom('sessions as s')
      .leftJoin('members as m', (on) => on.onRef('m.id', '=', 's.member_id').on('m.state', '=', 'active'))
      .select(['s.source_key_id as keyId', 'm.role'])
      .where('s.id', '=', sessionId)
      .where('s.closed_at', 'is', null),
  )
  if (session === undefined) throw KERNEL_ERRORS.session_expired('the session has ended; sign in again')
  // A session opened with a key has the key's rights, which do not change; any other has those of the role.
  if (session.keyId !== null || op.scopes === null) return
  const allowed = session.role === null ? [] : scopesOfRole(session.role)
  if (coversScopes(allowed, op.scopes)) return
  throw KERNEL_ERRORS.insufficient_scope('your role no longer allows this call')
}
