import { LRUCache } from 'lru-cache'
import type { Limits } from '../../core/tenancy/limits.ts'
import type { PlanId } from '../../core/tenancy/plans.ts'
import type { Database } from '../database.ts'
import type { Principal } from '../keys/principal.ts'
import type { Notifications } from '../notifications.ts'
import { hashToken } from './session-token.ts'

/** A live session. */
export interface AuthenticatedSession {
  readonly principal: Principal
  /** When it ends unless it is used again. */
  readonly expiresAt: Date
  /** Its end was moved by this call, so the cookie should be sent again. */
  readonly isExtended: boolean
}

/** Checks sessions, and remembers the live ones for a short time. */
export interface SessionAuthenticator {
  /** The session of a cookie's value; null when it ended, was closed, never was, or its key is gone. */
  authenticate(token: string): Promise<AuthenticatedSession | null>
  /** Drops a session that was just closed at once; other processes hear of it a moment later. */
  forget(sessionId: string): void
  close(): void
}

interface SessionRow {
  readonly sessionId: string
  readonly tenantId: string
  readonly plan: PlanId
  readonly keyId: string
  readonly kind: 'primary' | 'scoped'
  readonly scopes: readonly string[]
  readonly expiresAt: Date
  readonly isExtended: boolean
}

const MOST_SESSIONS = 10_000

/**
 * Opens the check of sessions. A session rolls `session_days` forward when it is used, written at most once an hour,
 * and never past its absolute end. It has the rights of the key that opened it, and dies with it.
 */
export function createSessionAuthenticator(deps: {
  readonly db: Database
  readonly notifications: Notifications
  readonly limits: Limits
  readonly now: () => Date
}): SessionAuthenticator {
  const { db, notifications, limits, now } = deps
  const ttlMs = limits.key_cache_s * 1000
  const known = new LRUCache<string, AuthenticatedSession>({ max: MOST_SESSIONS, ttl: Math.max(ttlMs, 1) })
  let generation = 0
  const drop = (matches: (principal: Principal) => boolean) => {
    generation++
    for (const [hash, { principal }] of known.entries()) if (matches(principal)) known.delete(hash)
  }
  const stops = [
    notifications.on('svc_sessions', (id) => drop((principal) => principal.sessionId === id)),
    notifications.on('svc_keys', (id) => drop((principal) => principal.keyId === id || principal.tenantId === id)),
    notifications.onReconnect(() => drop(() => true)),
  ]
  return {
    async authenticate(token) {
      const hash = hashToken(token)
      const name = hash.toString('base64')
      const at = now()
      const remembered = known.get(name)
      if (remembered !== undefined && remembered.expiresAt > at) return remembered
      const seen = generation
      const row = await touchSession(db, hash, at, limits.session_days)
      if (row === null) return null
      const { sessionId, tenantId, plan, keyId, kind, scopes, expiresAt, isExtended } = row
      const session = { principal: { tenantId, plan, keyId, kind, scopes, sessionId }, expiresAt, isExtended }
      if (ttlMs > 0 && seen === generation) known.set(name, { ...session, isExtended: false })
      return session
    },
    forget: (sessionId) => drop((principal) => principal.sessionId === sessionId),
    close() {
      for (const stop of stops) stop()
      known.clear()
    },
  }
}

async function touchSession(db: Database, hash: Buffer, at: Date, days: number): Promise<SessionRow | null> {
  const [row] = await db.query<SessionRow>(
    `with live as (
       select s.id, s.tenant_id, t.plan, k.id as key_id, k.kind, k.scopes, s.expires_at, s.last_seen_at, s.ends_at
       from sessions s join api_keys k on k.id = s.source_key_id join tenants t on t.id = s.tenant_id
       where s.token_hash = $1 and s.closed_at is null and s.expires_at > $2 and s.ends_at > $2
         and k.revoked_at is null and (k.expires_at is null or k.expires_at > $2)
     ), extended as (
       update sessions s set last_seen_at = $2, expires_at = least($2::timestamptz + make_interval(days => $3), s.ends_at)
       from live where s.id = live.id and live.last_seen_at < $2::timestamptz - interval '1 hour'
       returning s.id, s.expires_at
     )
     select live.id as "sessionId", live.tenant_id as "tenantId", live.plan, live.key_id as "keyId", live.kind,
       live.scopes, coalesce(extended.expires_at, live.expires_at) as "expiresAt",
       extended.id is not null as "isExtended"
     from live left join extended on extended.id = live.id`,
    [hash, at, days],
  )
  return row ?? null
}
