import type { Limits } from '../../../core/kernel/limits.ts'
import type { PlanId } from '../../../core/kernel/tenant/plans.ts'
import { scopesOfRole, type Role } from '../../../core/accounts/roles.ts'
import type { Database } from '../../kernel/database.ts'
import type { KeyKind } from '../keys/api-key.ts'
import type { Principal } from '../../kernel/tenant/principal.ts'
import { createRemembered, orRemembered } from '../keys/authentication/remembered.ts'
import type { Notifications } from '../../kernel/notifications.ts'
import { hashToken } from './session-token.ts'

/** A live session. */
export interface AuthenticatedSession {
  readonly principal: Principal
  /** When it ends unless it is used again: with its time, with its key, or with an anonymous workspace. */
  readonly expiresAt: Date
  /** Its end was moved by this call, so the cookie should be sent again. */
  readonly isExtended: boolean
}

/** Checks sessions, and remembers the live ones for a short time. */
export interface SessionAuthenticator {
  /** The session of a cookie's value; null when it ended, was closed, never was, or its key or member is gone. */
  authenticate(token: string): Promise<AuthenticatedSession | null>
  /**
   * Drops what was just ended at once: a session, or all of a key, a member or a tenant; other processes hear of it a
   * moment later.
   */
  forget(id: string): void
  close(): void
}

interface SessionRow {
  readonly sessionId: string
  readonly tenantId: string
  readonly plan: PlanId
  readonly quota: number | null
  readonly keyId: string | null
  readonly kind: KeyKind | null
  readonly memberId: string | null
  readonly role: Role | null
  readonly teamId: string | null
  readonly scopes: readonly string[] | null
  readonly expiresAt: Date
  readonly lastSeenAt: Date
  readonly isExtended: boolean
}

/** A session that is remembered, until it is used again after this time: then its end moves in the database. */
interface KnownSession extends AuthenticatedSession {
  readonly nextTouchAt: Date
}

const TOUCH_MS = 3_600_000

/**
 * Opens the check of sessions. A session rolls `session_days` forward when it is used, written at most once an hour,
 * and never past its absolute end. It has the rights of the key that opened it, and dies with it; one that no key opened
 * has those of its member's role.
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
        const row = await touchSession(db, hash, at, limits.session_days)
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

function principalOf(row: SessionRow): Principal {
  const { tenantId, plan, quota, keyId, kind, memberId, role, teamId, scopes, sessionId } = row
  const rights =
    kind !== null && scopes !== null
      ? { kind, scopes }
      : { kind: 'member' as const, scopes: role === null ? [] : scopesOfRole(role) }
  return { tenantId, plan, quota, ...rights, keyId, memberId, teamId, sessionId }
}

async function touchSession(db: Database, hash: Buffer, at: Date, days: number): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>(
    `with live as (
       select s.id, s.tenant_id, t.plan, t.quota_override, k.id as key_id, k.kind, k.scopes, k.team_id,
         m.id as member_id, m.role, s.expires_at, s.last_seen_at, s.ends_at,
         least(k.expires_at, t.expires_at) as others_end
       from sessions s join tenants t on t.id = s.tenant_id
         left join api_keys k on k.id = s.source_key_id
         left join members m on m.id = coalesce(s.member_id, k.member_id)
       where s.token_hash = $1 and s.closed_at is null and s.expires_at > $2 and s.ends_at > $2
         and t.deleted_at is null and (t.expires_at is null or t.expires_at > $2)
         and (s.source_key_id is null or (k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)))
         and (m.state = 'active' or (m.id is null and s.source_key_id is not null))
     ), extended as (
       update sessions s set last_seen_at = $2, expires_at = least($2::timestamptz + make_interval(days => $3), s.ends_at)
       from live where s.id = live.id and live.last_seen_at <= $2::timestamptz - make_interval(secs => $4)
       returning s.id, s.expires_at, s.last_seen_at
     )
     select live.id as "sessionId", live.tenant_id as "tenantId", live.plan, live.quota_override as quota,
       live.key_id as "keyId", live.kind, live.member_id as "memberId", live.role, live.team_id as "teamId", live.scopes,
       least(coalesce(extended.expires_at, live.expires_at), live.others_end) as "expiresAt",
       coalesce(extended.last_seen_at, live.last_seen_at) as "lastSeenAt", extended.id is not null as "isExtended"
     from live left join extended on extended.id = live.id`,
    [hash, at, days, TOUCH_MS / 1000],
  )
  return row ?? null
}
