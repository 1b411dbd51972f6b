import type { Limits } from '../../../core/accounts/limits.ts'
import { scopesOfRole } from '../../../core/accounts/roles.ts'
import type { Database } from '../../kernel/database.ts'
import { touchSession, TOUCH_MS, type LiveSession } from '../across/authentication/touch-session.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'
import { createRemembered, orRemembered } from '../keys/authentication/remembered.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { hashToken } from './session-token.ts'

/** A live session. */
export interface AuthenticatedSession {
  readonly principal: Principal
  /** When it ends unless it is used again: at its own end, its key's, or an anonymous workspace's. */
  readonly expiresAt: Date
  /** This call moved its end, so the cookie should be sent again. */
  readonly isExtended: boolean
}

/** Checks sessions and caches live ones for a short time. */
export interface SessionAuthenticator {
  /**
   * Returns the session of a cookie's value; null when it is unknown, ended or closed, or its key or member is gone.
   */
  authenticate(token: string): Promise<AuthenticatedSession | null>
  /**
   * Drops ended entries at once: a session, or all of a key, a member or a tenant; other processes are notified a
   * moment later.
   */
  forget(id: string): void
  close(): void
}

/** A cached session is used without the database for this time; the next use then moves its end in the database. */
interface KnownSession extends AuthenticatedSession {
  readonly nextTouchAt: Date
}

/**
 * Opens the check of sessions. A session rolls `session_days` forward when it is used, written at most once an hour,
 * and never past its absolute end. It has the rights of the key that opened it, and ends with it; any other has those
 * of its member's role.
 */
export function createSessionAuthenticator(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly limits: Limits
  readonly now: () => Date
}): SessionAuthenticator {
  const { db, notifications, limits, now } = deps
  const remembered = createRemembered<KnownSession>({ ttlMs: limits.key_cache_s * 1000 })
  const stops = [
    notifications.on('svc_sessions', remembered.forget),
    notifications.on('svc_keys', remembered.forget),
    notifications.onReconnect(remembered.forgetAll),
  ]
  return {
    async authenticate(token) {
      const hash = hashToken(token)
      const digest = hash.toString('base64')
      const at = now()
      const known = remembered.get(digest)
      const live = known !== undefined && known.expiresAt > at && known.nextTouchAt > at ? known : undefined
      if (live !== undefined && notifications.isListening) return live
      const lookUp = remembered.lookUp(digest)
      const look = async (): Promise<AuthenticatedSession | null> => {
        const row = await touchSession(db, { hash, at, days: limits.session_days })
        if (row === null) return null
        const session = { principal: principalOf(row), expiresAt: row.expiresAt, isExtended: row.isExtended }
        const nextTouchAt = new Date(row.lastSeenAt.getTime() + TOUCH_MS)
        lookUp.keep({ ...session, isExtended: false, nextTouchAt })
        return session
      }
      try {
        return await (live === undefined ? look() : orRemembered(look(), live))
      } finally {
        lookUp.end()
      }
    },
    forget: remembered.forget,
    close() {
      for (const stop of stops) stop()
      remembered.forgetAll()
    },
  }
}

function principalOf(row: LiveSession): Principal {
  const { tenantId, plan, quota, keyId, kind, memberId, role, teamId, scopes, sessionId } = row
  const rights =
    kind !== null && scopes !== null
      ? { kind, scopes }
      : { kind: 'member' as const, scopes: role === null ? [] : scopesOfRole(role) }
  return { tenantId, plan, quota, ...rights, keyId, memberId, teamId, sessionId }
}
